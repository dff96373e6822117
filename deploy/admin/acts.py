"""What operators did, from the audit."""

from deploy.admin.answer import Answer, moment_of, table_of
from deploy.admin.desk import Desk
from shared import audit


async def listed(desk: Desk, last: int | None) -> Answer:
    """The acts, the oldest first."""
    lines = [line async for line in audit.lines(desk.bus)]
    lines = lines[-last:] if last else lines
    rows = [(moment_of(one.at), one.act.by, one.act.did, one.act.to, one.act.why) for one in lines]
    text = table_of(("WHEN", "WHO", "DID", "TO", "WHY"), rows) if rows else "nothing was done yet"
    data = [
        {"at": moment_of(one.at), "by": one.act.by, "did": one.act.did, "to": one.act.to, "why": one.act.why}
        for one in lines
    ]
    return Answer(text, data)
