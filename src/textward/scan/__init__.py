"""The scan: labelled rows -> words that look planted, with the evidence, and the rows without them."""

from textward.scan.cleaning import Cleaned, Decision, cleaned
from textward.scan.findings import Effect, Evidence, Finding, Scan
from textward.scan.pages import scan_page
from textward.scan.scanning import scan_rows
from textward.scan.severity import ALARM, WARNING, Severity

__all__ = [
    "ALARM",
    "WARNING",
    "Cleaned",
    "Decision",
    "Effect",
    "Evidence",
    "Finding",
    "Scan",
    "Severity",
    "cleaned",
    "scan_page",
    "scan_rows",
]
