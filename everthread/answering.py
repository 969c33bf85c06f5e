"""Who answers what, and which calls people decide about, as the settings say."""

from __future__ import annotations

from everthread.settings import RuleSetting, Settings
from store.wait import Answerers
from worker.rules import Rule, Rules


def answerers_of(settings: Settings) -> Answerers:
    """Who may answer questions; one answer is enough."""
    return Answerers(by=tuple(sorted(settings.answer_by)))


def approvers_of(settings: Settings) -> Answerers:
    """Who decides on plans, and on calls where a rule names nobody."""
    return Answerers(tuple(sorted(settings.approve_by)), settings.approvals, not settings.self_approval)


def rules_of(settings: Settings) -> Rules:
    """The rules in force, in their order."""
    return Rules(tuple(_rule(written, approvers_of(settings)) for written in settings.rules))


def _rule(written: RuleSetting, approvers: Answerers) -> Rule:
    decide = Answerers(
        by=tuple(sorted(written.by)) or approvers.by,
        quorum=approvers.quorum if written.approvals is None else written.approvals,
        not_asker=approvers.not_asker if written.self_approval is None else not written.self_approval,
    )
    return Rule(written.then, written.tool, written.channel, written.arguments, decide)


def groups_of(settings: Settings) -> frozenset[str]:
    """The user groups that may answer somewhere."""
    named = [*settings.answer_by, *settings.approve_by, *(who for rule in settings.rules for who in rule.by)]
    return frozenset(who for who in named if who.startswith("S"))
