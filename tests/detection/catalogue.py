"""All hosts and their faults."""

from __future__ import annotations

import importlib
from functools import cache

from .fault import Host

HOST_MODULES = (
    "faults.explicit",
    "faults.generalised_alpha",
    "faults.event_driven",
    "faults.scipy",
    "faults.exact",
    "faults.field",
    "faults.events",
    "faults.command",
)
"""Modules beside this one; each defines ``HOSTS``, a tuple of hosts."""


@cache
def load_hosts() -> dict[str, Host]:
    """Return all hosts by name. Raises ValueError if two have the same name."""
    hosts = [host for name in HOST_MODULES for host in importlib.import_module(f".{name}", __package__).HOSTS]
    by_name = {host.name: host for host in hosts}
    if len(by_name) < len(hosts):
        raise ValueError(f"two hosts have the same name: {', '.join(host.name for host in hosts)}")
    return by_name
