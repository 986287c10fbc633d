"""What the FollowTheMoney model says of schemata: which are links between two entities.

The names are those of the model. Entities of other schemata are told by their shape.
"""

from __future__ import annotations

from collections.abc import Mapping

EDGES: Mapping[str, tuple[str, str]] = {  # the properties of the two ends
    "Associate": ("person", "associate"),
    "Call": ("caller", "receiver"),
    "ContractAward": ("supplier", "contract"),
    "Control": ("controller", "controlled"),
    "CourtCaseParty": ("party", "case"),
    "Debt": ("debtor", "creditor"),
    "Directorship": ("director", "organization"),
    "Documentation": ("document", "entity"),
    "Employment": ("employee", "employer"),
    "Family": ("person", "relative"),
    "Membership": ("member", "organization"),
    "Occupancy": ("holder", "post"),
    "Ownership": ("owner", "asset"),
    "Payment": ("payer", "beneficiary"),
    "ProjectParticipant": ("participant", "project"),
    "Representation": ("agent", "client"),
    "Similar": ("candidate", "match"),
    "Succession": ("predecessor", "successor"),
    "UnknownLink": ("subject", "object"),
}
# schemata with dates that are entities of their own, whatever they refer to
THINGS = frozenset(
    {
        *("Sanction", "Identification", "Passport", "Risk", "TaxRoll", "CallForTenders"),
        *("Project", "Event", "Trip", "Message", "Email", "EconomicActivity", "Document"),
    }
)
# properties that hold entities in every schema that has them
REFERENCES = frozenset(
    {
        *("addressEntity", "bank", "bankAccount", "bankForeign", "bankRub", "beneficiaryAccount"),
        *("callForTenders", "contractHolder", "declarant", "endLocation", "entity", "holder"),
        *("involved", "issuer", "onBehalfOf", "operator", "organization", "organizer", "owner"),
        *("parent", "partOf", "payerAccount", "pictured", "proof", "recipientAccount"),
        *("riskSource", "senderAccount", "startLocation", "taxee", "tenderers", "transport"),
        "vehicle",
    }
)
BEGINS = ("startDate", "periodStart", "electionDate", "listingDate")
ENDS = ("endDate", "periodEnd")
POINTS = ("date", "declarationDate")
ROLES = ("role", "relationship")  # what a link is, in the words of its source
