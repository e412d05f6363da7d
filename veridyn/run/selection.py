"""Which checks a run makes: all of what the user names, or the quick profile if nothing is named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from veridyn.problem.errors import SolverInputError
from veridyn.problem.nearest import did_you_mean
from veridyn.results import Profile
from veridyn.run.plan import Task, list_tasks
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.relations import TELLING
from veridyn.validation_cases.judgement.subject import Subject

QUICK = (
    "quick profile: the default variant of each case, one relation, and the first scheme of a solver where none is "
    "named; `veridyn run --all` judges everything"
)


@dataclass(frozen=True)
class Selection:
    """What a user names; whatever is left empty is not restricted.

    Attributes
    ----------
    cases, needs, variants, quantities, schemes
        Names. A need is a capability that a problem needs, ``contact`` say, or the part of one before the colon.
    quick
        Whether only the default variant of each case is judged, one relation, and the first scheme of a solver where
        none is named.
    shared
        Whether a variant is judged by the first solver alone that offers what its problem needs.
    """

    cases: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    quantities: tuple[str, ...] = ()
    schemes: tuple[str, ...] = ()
    quick: bool = False
    shared: bool = False

    @property
    def profile(self) -> Profile:
        """How much of everything it is."""
        restricted = self.needs or self.variants or self.quantities or self.schemes
        if self.quick:
            return Profile.QUICK
        return Profile.SELECTION if restricted or self.cases else Profile.ALL

    def subjects(self, described: Mapping[str, Subject]) -> dict[str, Subject]:
        """Return the solvers with the schemes and quantities that are asked of them.

        Raises SolverInputError if a solver has none of the schemes.
        """
        return {spec: self._asked(subject) for spec, subject in described.items()}

    def _asked(self, subject: Subject) -> Subject:
        first = subject.schemes[:1] if self.quick and len(subject.schemes) > 1 else ()
        request = replace(
            subject.request,
            schemes=self.schemes or first,
            quantities=self.quantities,
            relations=(TELLING,) if self.quick else (),
        )
        return subject.with_request(request)

    def tasks(self, subjects: Mapping[str, Subject], changes: Mapping[str, str]) -> list[Task]:
        """Return the tasks of a run.

        Raises SolverInputError if no case has a variant, quantity or need of that name, or nothing has all that is
        named; UnknownCase, ParameterError, see `veridyn.run.plan.list_tasks`.
        """
        everything = list_tasks(subjects, self.cases, changes)
        if self.variants and any(task.parameters for task in everything):
            raise SolverInputError(
                "--variant and --set of a parameter exclude each other: a variant is a parameter set"
            )
        _known("variant", self.variants, (task.variant for task in everything))
        _known("quantity", self.quantities, _quantities(everything))
        _known("need", self.needs, (need for task in everything for need in _list_needs(task)))
        chosen = [task for task in everything if self._wants(task)]
        if not chosen:
            raise SolverInputError("no variant has all that is named; leave out --needs, --variant or --quantity")
        return _share(chosen, subjects) if self.shared else chosen

    def _wants(self, task: Task) -> bool:
        if self.quick and task.variant and task.variant != load_case(task.case).default_variant.name:
            return False
        if self.variants and task.variant not in self.variants:
            return False
        if self.needs and not _list_needs(task) & set(self.needs):
            return False
        return not self.quantities or any(q.name in self.quantities for q in task.statement.quantities)


def _share(tasks: Sequence[Task], subjects: Mapping[str, Subject]) -> list[Task]:
    """Return one task for each variant: of the first solver that offers all, else of the first that takes its kind."""
    takers: dict[tuple[str, str], list[Task]] = {}
    for task in tasks:
        takers.setdefault((task.case, task.variant), []).append(task)
    return [_choose_taker(mine, subjects) for mine in takers.values()]


def _choose_taker(tasks: Sequence[Task], subjects: Mapping[str, Subject]) -> Task:
    if len(tasks) == 1:
        return tasks[0]
    needs = tasks[0].statement.needs
    return next((task for task in tasks if needs <= subjects[task.solver].capabilities), tasks[0])


def _list_needs(task: Task) -> set[str]:
    """Return the capabilities that a task needs, and their parts before the colon."""
    needs = task.statement.problem.needs
    return {*needs, *(need.partition(":")[0] for need in needs)}


def _quantities(found: Iterable[Task]) -> set[str]:
    cases = [load_case(name) for name in {task.case for task in found}]
    return {quantity.name for case in cases for quantity in (*case.quantities, *case.residuals)}


def _known(what: str, named: Sequence[str], known: Iterable[str]) -> None:
    """Refuse names that do not exist."""
    names = dict.fromkeys(known) if named else {}
    for name in named:
        if name not in names:
            hint = did_you_mean(name, names) or "`veridyn show CASE` names what there is"
            raise SolverInputError(f"no case that is run has a {what} {name!r}: {hint}")
