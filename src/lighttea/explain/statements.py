"""Facts and literals of a pair, alone or matched up, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from lighttea.display import Displayed, Named, shorten, visible

_SHOWN_TEXT = 60  # characters of a literal


@dataclass(frozen=True, repr=False)
class Fact(Displayed):
    """A fact of an entity, seen from that entity."""

    relation: str
    inverse: bool  # the entity is the tail
    neighbour: str
    begin: str | None
    end: str | None
    relation_name: str | None = None  # where it differs from the id
    neighbour_name: str | None = None

    @property
    def time(self) -> str:
        """The time in words; empty for unknown."""
        return _time_words(self.begin, self.end)

    @property
    def arrow(self) -> str:
        """The direction: to the right where the entity is the head."""
        return "←" if self.inverse else "→"

    @property
    def named_relation(self) -> Named:
        """The relation as a person reads it, and its id."""
        return Named(self.relation, self.relation_name)

    @property
    def named_neighbour(self) -> Named:
        """The neighbour as a person reads it, and its id."""
        return Named(self.neighbour, self.neighbour_name)

    @property
    def words(self) -> str:
        """Relation and neighbour as a person reads them, an arrow for the direction."""
        return f"{self.arrow} {self.named_relation.text}: {self.named_neighbour.text}"

    @property
    def id_words(self) -> str:
        """The ids of relation and neighbour, an arrow for the direction."""
        return f"{self.arrow} {visible(self.relation)}: {visible(self.neighbour)}"

    def _summary(self) -> str:
        return shorten(self.words) + f", {self.time}" * bool(self.time)


@dataclass(frozen=True, repr=False)
class MatchedFact(Displayed):
    """Two facts that probably state the same, and what they add to the score."""

    left: Fact
    right: Fact
    same_neighbour: bool
    same_relation: bool
    time: str  # same, overlaps, differs or unknown
    contradicts: bool
    value: float

    @property
    def verdict(self) -> str:
        """What agrees and what does not, in words."""
        if self.contradicts:
            return "only one can be true: times differ"
        if not self.same_neighbour:
            return "neighbours not linked"
        relation = "" if self.same_relation else ", other relation"
        words = {"same": "same time", "overlaps": "times overlap", "differs": "times differ"}
        return words.get(self.time, "time unknown on one side") + relation

    @property
    def words(self) -> str:
        """Both facts with their times."""
        left, right = self.left, self.right
        return f"{left.words} ({left.time}) = {right.words} ({right.time})"

    def _summary(self) -> str:
        facts = " = ".join(shorten(fact.words) for fact in (self.left, self.right))
        return f"{facts}; {self.verdict}, adds {self.value:.4f}"


@dataclass(frozen=True, repr=False)
class Literal(Displayed):
    """A literal of an entity; the attribute `id` is what its graph calls the entity."""

    attribute: str
    text: str
    language: str  # empty for none
    begin: str | None
    end: str | None
    attribute_name: str | None = None  # where it differs from the id

    @property
    def time(self) -> str:
        """The time in words; empty for unknown."""
        return _time_words(self.begin, self.end)

    @property
    def named_attribute(self) -> Named:
        """The attribute as a person reads it, and its id."""
        return Named(self.attribute, self.attribute_name)

    @property
    def short_attribute(self) -> str:
        """The attribute as a person reads it, its middle left out where it is long."""
        return self.named_attribute.shortened()

    @property
    def short_text(self) -> str:
        """The text on one line, its middle left out where it is long."""
        return visible(shorten(self.text, _SHOWN_TEXT))

    @property
    def id_words(self) -> str:
        """The id of the attribute and the whole text."""
        lines = "\n".join(visible(line) for line in self.text.split("\n"))
        return f"{visible(self.attribute)}: {lines}"

    @property
    def words(self) -> str:
        """Attribute and text."""
        return f'{self.short_attribute} "{self.short_text}"'

    def _summary(self) -> str:
        language = f" ({self.language})" * bool(self.language)
        return self.words + language + f", {self.time}" * bool(self.time)


@dataclass(frozen=True, repr=False)
class MatchedLiteral(Displayed):
    """Two literals that go together, how they compare, and what they add to the score."""

    left: Literal
    right: Literal
    how: str  # same, alike or differs
    contradicts: bool  # they may not differ and do, which counts against
    value: float
    exact: bool  # False for an estimated share of a term

    @property
    def sign(self) -> str:
        """How they compare, as one character."""
        return {"same": "=", "alike": "~"}.get(self.how, "≠")

    @property
    def verdict(self) -> str:
        """How they compare, in words."""
        return self.how + ", counts against" * self.contradicts

    @property
    def words(self) -> str:
        """Both literals with a sign between them."""
        return f"{self.left.words} {self.sign} {self.right.words}"

    def _summary(self) -> str:
        return f"{self.words}; {self.verdict}, adds {self.value:.4f}"


def _time_words(begin: str | None, end: str | None) -> str:
    if begin == end:
        return begin or ""
    if begin is None:
        return f"until {end}"
    return f"since {begin}" if end is None else f"{begin} to {end}"
