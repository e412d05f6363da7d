"""Names of the files that reports and manuals always have."""

REPORT_FILES = ("index.html", "results.json", "results.csv", "summary.md", "junit.xml", "badge.svg", "against.md")
MANUAL_FILES = ("manual.html", "manual.pdf", "results.json", "results.csv")
TIMING_FILES = ("timing.json", "timing.md", "timing.html")
