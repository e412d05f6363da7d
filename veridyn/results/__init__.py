"""Results: what a run found, as typed data. Judgement writes it, reports read it.

>>> from veridyn import results
>>> document = results.read("results.json")  # doctest: +SKIP
>>> [record.quantity for record in document.results if record.verdict is results.Verdict.FAIL]  # doctest: +SKIP
"""

from veridyn.results.document import (
    VERSION,
    Document,
    Environment,
    Message,
    SolverVersion,
    describe_scope,
    find_gaps,
)
from veridyn.results.errors import ReportError
from veridyn.results.figure import Figure, Instant, Panel, Series
from veridyn.results.merging import merge, select_cases
from veridyn.results.plan import ExpectedFailure, Fingerprint, PlannedChecks
from veridyn.results.reading import check, convert, convert_record, read
from veridyn.results.record import Counters, LevelRow, Number, Record, Settings, Terms, Value, WorkPrecisionPoint
from veridyn.results.sheet import CaseSheet, ParameterRow, PublishedValue, QuantityRow, ReferenceRow
from veridyn.results.system import (
    BeamStop,
    BeamSupport,
    BeamVelocity,
    DrawnBeam,
    DrawnDevice,
    DrawnFriction,
    DrawnLink,
    DrawnMass,
    DrawnStop,
    DrawnSystem,
    Shape,
)
from veridyn.results.words import (
    BeamSide,
    ErrorKind,
    FingerprintKind,
    Holding,
    Layer,
    MessageKind,
    PrintedVerdict,
    Profile,
    Role,
    Scale,
    Side,
    Verdict,
)
from veridyn.results.writing import (
    add_checksum,
    compute_checksum,
    count_verdicts,
    encode,
    unstructure,
    unstructure_environment,
    unstructure_levels,
    unstructure_row,
)

__all__ = [
    "VERSION",
    "BeamSide",
    "BeamStop",
    "BeamSupport",
    "BeamVelocity",
    "CaseSheet",
    "Counters",
    "Document",
    "DrawnBeam",
    "DrawnDevice",
    "DrawnFriction",
    "DrawnLink",
    "DrawnMass",
    "DrawnStop",
    "DrawnSystem",
    "Environment",
    "ErrorKind",
    "ExpectedFailure",
    "Figure",
    "Fingerprint",
    "FingerprintKind",
    "Holding",
    "Instant",
    "Layer",
    "LevelRow",
    "Message",
    "MessageKind",
    "Number",
    "Panel",
    "ParameterRow",
    "PlannedChecks",
    "PrintedVerdict",
    "Profile",
    "PublishedValue",
    "QuantityRow",
    "Record",
    "ReferenceRow",
    "ReportError",
    "Role",
    "Scale",
    "Series",
    "Settings",
    "Shape",
    "Side",
    "SolverVersion",
    "Terms",
    "Value",
    "Verdict",
    "WorkPrecisionPoint",
    "add_checksum",
    "check",
    "compute_checksum",
    "convert",
    "convert_record",
    "count_verdicts",
    "describe_scope",
    "encode",
    "find_gaps",
    "merge",
    "read",
    "select_cases",
    "unstructure",
    "unstructure_environment",
    "unstructure_levels",
    "unstructure_row",
]
