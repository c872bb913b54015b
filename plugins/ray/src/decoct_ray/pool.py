"""Work spread over actors of a Ray cluster: `decoct_lab.workforce.Workforce` for structures and evaluations.

Items go to the actor that has the least in hand, at most `AHEAD` an actor beyond what has been taken: whoever makes the items is held back
while the actors are busy, and what waits in memory is bounded. Results come in the order of the items, whoever made them. Ray starts a
lost actor anew and gives it again what it had in hand; an item on which `TRIES` actors were lost ends the work instead of felling others.

Actors start when there is first something to do. Those that the cluster has no room for are not waited for, as long as there is one.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import uuid4

from decoct import trace
from decoct.errors import ClusterError, ConfigError, WorkerSetupError
from decoct_ray.session import LOCAL, cluster, typed_error
from decoct_ray.worker import Introduction, Outcome, PoolWorker

Item = TypeVar("Item")
Result = TypeVar("Result")
AHEAD = 3  # items an actor: one in work, one on its way, one whose result waits for an earlier one
TRIES = 5
# Seconds in which the first actor must be there: a cluster may start machines for it.
FIRST_WITHIN = 600.0


@contextmanager
def ray_pool(address: str = LOCAL, *, workers: int | None = None, gpus: float = 0) -> Iterator[RayPool]:
    """A pool on the cluster at `address` ("local" is started here and ended at the end, "auto", or HOST:PORT).

    `workers` is how many actors work (default: one a processor but one), `gpus` how much of a GPU each is given. `MissingExtraError`
    without Ray, `ClusterError` where there is no cluster or it is lost.
    """
    with cluster(address) as ray:
        pool = RayPool(ray, workers or max(int(ray.cluster_resources().get("CPU", 1)) - 1, 1), gpus)
        try:
            yield pool
        finally:
            pool.close()


@dataclass(slots=True)
class _Sent:
    """An item in an actor's hands."""

    item: Any
    actor: Any
    reference: Any


@dataclass(slots=True)
class RayPool:
    """At most `width` actors of `ray`, each with a processor and `gpus` of a GPU."""

    ray: Any
    width: int
    gpus: float = 0
    first_within: float = FIRST_WITHIN
    _actors: list[Any] = field(default_factory=list, init=False)
    _starting: dict[Any, Any] = field(default_factory=dict, init=False)  # what an actor says first -> the actor

    def results(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        """See `Workforce.results`. `WorkerSetupError` where a worker lacks what work needs, `ClusterError` where the cluster is lost."""
        key, body = uuid4().hex, None
        sent: deque[_Sent] = deque()
        for item in items:
            if body is None:
                body = self.ray.put(self._packed(work))
            self._welcome()
            while len(sent) >= AHEAD * len(self._actors):
                yield self._taken(sent)
                self._welcome()
            actor = self._least_busy(sent)
            sent.append(_Sent(item, actor, actor.outcome.remote(key, body, self._packed(item))))
        while sent:
            yield self._taken(sent)

    def close(self) -> None:
        """End the actors, and whatever they have in hand."""
        for actor in (*self._actors, *self._starting.values()):
            self.ray.kill(actor)
        self._actors, self._starting = [], {}

    def _welcome(self) -> None:
        """Let the actors work that have started; wait where there is none."""
        if not self._actors and not self._starting:
            settings = {"num_cpus": 1, "num_gpus": self.gpus, "max_restarts": -1, "max_task_retries": TRIES - 1}
            kind = self.ray.remote(PoolWorker).options(**settings)
            for actor in [kind.remote() for _ in range(self.width)]:
                self._starting[actor.introduce.remote()] = actor
        if not self._starting:
            return
        patience = 0 if self._actors else self.first_within
        there, _ = self.ray.wait(list(self._starting), num_returns=1, timeout=patience)
        if there:
            there, _ = self.ray.wait(list(self._starting), num_returns=len(self._starting), timeout=0)
        for reference in there:
            self._check(reference)
            self._actors.append(self._starting.pop(reference))
        if not self._actors:
            raise ClusterError(
                f"no worker could start within {self.first_within:.0f} s: each wants a processor and {self.gpus:g} of a GPU, and the "
                f"cluster has {_amounts(self.ray.cluster_resources())}, of which {_amounts(self.ray.available_resources())} free; "
                "look at `ray status`, lower --ray-gpus, or wait for other work to end"
            )

    def _check(self, reference: Any) -> None:  # noqa: ANN401 - Ray's
        try:
            other: Introduction = self.ray.get(reference)
        except self.ray.exceptions.RayError as error:
            if "No module named" in str(error):
                raise WorkerSetupError(
                    f"a worker cannot load Decoct ({str(error).strip().splitlines()[-1]}): install the same Decoct with the same "
                    "extras on every machine of the cluster"
                ) from error
            raise typed_error(error) from error
        mine = Introduction.of_this_process()
        if (other.decoct, other.python) != (mine.decoct, mine.python):
            raise WorkerSetupError(
                f"the worker on {other.machine} has Decoct {other.decoct} on Python {other.python}, this machine {mine.decoct} on "
                f"{mine.python}: install the same on every machine, as what two versions make must not be mixed"
            )

    def _least_busy(self, sent: Iterable[_Sent]) -> Any:  # noqa: ANN401 - Ray's
        references = [one.reference for one in sent]
        left = self.ray.wait(references, num_returns=len(references), timeout=0)[1] if references else []
        undone = set(left)
        in_hand = [one.actor for one in sent if one.reference in undone]
        return min(self._actors, key=in_hand.count)

    def _taken(self, sent: deque[_Sent]) -> tuple[Any, Any]:
        """The first of `sent` with its result, when it is there."""
        first = sent.popleft()
        try:
            outcome: Outcome = pickle.loads(self.ray.get(first.reference))  # noqa: S301 - from an actor of ours
        except self.ray.exceptions.RayError as error:
            raise typed_error(error) from error
        trace.count(**outcome.counts)
        for name, amount in outcome.fallbacks.items():
            trace.fallback(name, amount)
        if outcome.error is not None:
            raise outcome.error
        return first.item, outcome.value

    def _packed(self, thing: object) -> bytes:
        try:
            packed: bytes = self.ray.cloudpickle.dumps(thing)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise ConfigError(
                f"this work cannot be sent to other processes ({error}): use models and parts that are named (--llm NAME, --embedder "
                "NAME, a recipe's file) in place of objects of this process, or leave out --ray"
            ) from error
        return packed


def _amounts(resources: dict[str, float]) -> str:
    return f"{resources.get('CPU', 0):g} processors and {resources.get('GPU', 0):g} GPUs"
