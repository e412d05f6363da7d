"""The one exception of results and of the reports that are made from them."""


class ReportError(ValueError):
    """Results cannot be read or a report cannot be written; the message is one line and names the remedy."""
