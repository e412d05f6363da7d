"""All hosts and faults can be loaded, and what they state is complete."""

import pytest

from veridyn.solver.contract.introduction import introduce

from .catalogue import load_hosts
from .fault import Fault
from .trial import find_places, is_touched

HOSTS = load_hosts()


def test_hosts_are_of_several_kinds():
    assert {"explicit", "generalised-alpha", "event-driven", "scipy", "exact"} <= set(HOSTS)


@pytest.mark.parametrize("host", HOSTS.values(), ids=lambda host: host.name)
def test_faults_of_a_host_are_complete(host):
    assert len({fault.name for fault in host.faults}) == len(host.faults)
    for fault in host.faults:
        assert fault.what.endswith(".")
        assert fault.size is None or 0 < fault.smallest < fault.size


@pytest.mark.parametrize("name", ["explicit", "generalised-alpha", "event-driven", "scipy", "exact"])
def test_a_host_has_what_it_offers(name):
    assert introduce(HOSTS[name].solver).name == HOSTS[name].solver.name


@pytest.mark.parametrize("name", ["explicit", "generalised-alpha", "event-driven", "scipy", "exact"])
def test_a_mutant_claims_what_its_host_claims(name):
    host = HOSTS[name]
    for fault in host.faults:
        mutant = fault.make(fault.size or 0.0)
        assert (mutant.name, mutant.claims) == (host.solver.name, host.solver.claims)


def test_a_part_that_is_unknown_is_refused():
    with pytest.raises(ValueError, match="one of contact"):
        Fault("x", "wheel", "Wrong.", lambda _: None)


def test_a_size_without_a_meaning_is_refused():
    with pytest.raises(ValueError, match="state all three or none"):
        Fault("x", "contact", "Wrong.", lambda _: None, size=1.0)


def test_a_fault_is_tried_where_there_is_something_to_damage_that_the_host_can_solve():
    host = HOSTS["exact"]
    (fault,) = (fault for fault in host.faults if fault.name == "gap_too_wide")
    places = find_places(("sdnd101", "sdld31"))
    touched = [place.case for place in places if is_touched(fault, host.solver.capabilities, place)]
    assert set(touched) == {"sdnd101"}
    assert not any(is_touched(fault, frozenset(), place) for place in places)
