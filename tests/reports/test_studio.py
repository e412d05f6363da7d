import os

import pytest

from veridyn.reports.studio import HERE, WORTH, studio
from veridyn.reports.writer import write
from veridyn.results import ReportError, convert


def test_few_figures_are_drawn_here():
    with studio(8, WORTH - 1) as place:
        assert place is HERE
        assert place.submit(os.getpid).result() == os.getpid()


def test_many_figures_are_drawn_beside():
    with studio(2, 2 * WORTH) as place:
        assert place.submit(os.getpid).result() != os.getpid()


def test_a_studio_that_is_ended_says_so():
    with pytest.raises(ReportError, match="was ended; is there enough memory"), studio(2, 2 * WORTH) as place:
        place.submit(os._exit, 1).result()


def test_the_report_does_not_depend_on_the_place(make_plain, make_figure, tmp_path, monkeypatch):
    monkeypatch.setattr("veridyn.reports.studio.WORTH", 1)
    document = convert(make_plain(figures=[make_figure(id=f"curve {n}") for n in range(3)]))
    alone = write(document, tmp_path / "alone")
    beside = write(document, tmp_path / "beside", processes=2)
    assert [path.read_bytes() for path in alone] == [path.read_bytes() for path in beside]
