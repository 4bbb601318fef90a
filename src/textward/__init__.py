"""Train text classifiers on untrusted rows, with a certificate on every prediction."""
