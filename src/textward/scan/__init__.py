"""The scan: labelled rows -> words that look planted, with the evidence, and the rows without them."""

from textward.scan.findings import Effect, Evidence, Finding, Scan
from textward.scan.scanning import scan_rows
from textward.scan.severity import ALARM, WARNING, Severity

__all__ = ["ALARM", "WARNING", "Effect", "Evidence", "Finding", "Scan", "Severity", "scan_rows"]
