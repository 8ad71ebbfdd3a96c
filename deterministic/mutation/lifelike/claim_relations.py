"""Relations of facts, each with sentences for results and sentences for answers."""

from __future__ import annotations

from .fact_tables import Relation

OPENED = Relation(
    "opened", ("thing",), ("year",),
    ("{thing} opened in {year}.", "The year {year} saw the opening of {thing}."),
    ("{thing} opened in {year}.", "{thing} has been open since {year}.", "The opening of {thing} was in {year}."),
)  # fmt: skip
STAFF = Relation(
    "staff", ("thing",), ("number",),
    ("{number} people work at {thing}.", "{thing} employs {number} people."),
    ("{thing} has {number} employees.", "{number} people work at {thing}.", "{thing} employs {number} people."),
)  # fmt: skip
ROOMS = Relation(
    "rooms", ("thing",), ("number",),
    ("{thing} has {number} rooms.", "There are {number} rooms at {thing}."),
    ("{thing} has {number} rooms.", "{number} rooms belong to {thing}.", "There are {number} rooms at {thing}."),
)  # fmt: skip
TREES = Relation(
    "trees", ("thing",), ("number",),
    ("{number} trees grow in the garden of {thing}.", "The garden of {thing} has {number} trees."),
    ("The garden of {thing} has {number} trees.", "In the garden of {thing} there are {number} trees.", "{number} trees grow in the garden of {thing}."),
)  # fmt: skip
ABOUT_HOUSES = (OPENED, STAFF, ROOMS, TREES)
"""Relations for further facts about a house."""

PLACED = Relation(
    "placed", ("thing",), ("person",),
    ("{thing} was placed by {person}.", "{person} placed {thing}."),
    ("{person} placed {thing}.", "{thing} comes from {person}.", "{thing} was placed by {person}."),
)  # fmt: skip
TOTAL = Relation(
    "total", ("thing",), ("number",),
    ("{thing} comes to {number} crowns.", "The total of {thing} is {number} crowns."),
    ("{thing} comes to {number} crowns.", "The total of {thing} is {number} crowns.", "In total, {thing} amounts to {number} crowns."),
)  # fmt: skip
PLACE = Relation(
    "place", ("thing",), ("place",),
    ("{thing} is for the branch in {place}.", "The branch in {place} receives {thing}."),
    ("{thing} is for the branch in {place}.", "The branch in {place} receives {thing}.", "{thing} goes to the branch in {place}."),
)  # fmt: skip
ABOUT_ORDERS = (PLACED, TOTAL, PLACE)
"""Relations for further facts about an order."""

REBUILT = Relation(
    "rebuilt", ("thing",), ("year",),
    ("The roof of {thing} was rebuilt in {year}.", "In {year} {thing} got a new roof."),
    ("The roof of {thing} was rebuilt in {year}.",),
)  # fmt: skip
REBUILT_AFTER = Relation(
    "rebuilt_after", ("thing",), ("year", "detail"),
    ("The roof of {thing} was rebuilt in {year} after {detail}.", "In {year}, after {detail}, {thing} got a new roof."),
    ("The roof of {thing} was rebuilt in {year} after {detail}.", "After {detail}, {thing} got a new roof in {year}.", "In {year}, {thing} had its roof rebuilt after {detail}."),
)  # fmt: skip
PRIZE = Relation(
    "prize", ("thing",), ("year",),
    ("{thing} won the county prize in {year}.", "The county prize of {year} went to {thing}."),
    ("{thing} won the county prize in {year}.",),
)  # fmt: skip
PRIZE_FOR = Relation(
    "prize_for", ("thing",), ("year", "detail"),
    ("{thing} won the county prize in {year} for {detail}.", "The county prize of {year} went to {thing} for {detail}."),
    ("{thing} won the county prize in {year} for {detail}.", "For {detail}, {thing} won the county prize in {year}.", "In {year}, {thing} received the county prize for {detail}."),
)  # fmt: skip

ROLE = Relation(
    "role", ("thing", "role"), ("person",),
    ("The {role} of {thing} is {person}.", "{person} is the {role} of {thing}."),
    ("The {role} of {thing} is {person}.", "{person} is the {role} of {thing}.", "{thing} has {person} as its {role}."),
)  # fmt: skip
SALE = Relation(
    "sale", ("thing", "year"), ("seller", "buyer"),
    ("In {year} {seller} sold {thing} to {buyer}.", "{buyer} bought {thing} from {seller} in {year}."),
    ("{seller} sold {thing} to {buyer} in {year}.", "{buyer} bought {thing} from {seller} in {year}.", "In {year} {thing} passed by sale from {seller} to {buyer}."),
)  # fmt: skip

SHARE = Relation(
    "share", ("thing", "property"), ("quantity",),
    ("Of the {total} branches of {thing}, {yes} {property}; {no} do not.", "{yes} {property}, {no} do not: these are the {total} branches of {thing}."),
    ("{quantity} branches of {thing} {property}.", "Among the branches of {thing}, {quantity} {property}.", "At {thing}, {quantity} branches {property}."),
)  # fmt: skip
DAYS = Relation(
    "days", ("thing", "meal"), ("days",),
    ("{thing} serves {meal} {days}, and none at other times.", "{meal} is served at {thing} {days}; at other times the kitchen is closed."),
    ("{thing} serves {meal} {days}.", "{meal} is served at {thing} {days}.", "At {thing} there is {meal} {days}."),
)  # fmt: skip

RATE_BEFORE = Relation(
    "rate_before", ("thing", "date"), ("amount",),
    ("Rates of {thing}, {date}: a night costs {amount} crowns.", "{date}: a night at {thing} costs {amount} crowns."),
    ("In {date}, a night at {thing} cost {amount} crowns.",),
)  # fmt: skip
RATE_NOW = Relation(
    "rate_now", ("thing",), ("amount",),
    ("New rates of {thing}, {date}: a night costs {amount} crowns; earlier rates no longer apply.", "{date}: a night at {thing} costs {amount} crowns from now on, which replaces every earlier rate."),
    ("A night at {thing} currently costs {amount} crowns.", "{thing} now charges {amount} crowns a night.", "The rate of {thing} that applies today is {amount} crowns a night."),
)  # fmt: skip
HEAD_BEFORE = Relation(
    "head_before", ("thing", "date"), ("person",),
    ("News of {date}: {person} becomes head of {thing}.", "{date}: {thing} has a new head, {person}."),
    ("In {date}, {person} became head of {thing}.",),
)  # fmt: skip
HEAD_NOW = Relation(
    "head_now", ("thing",), ("person",),
    ("News of {date}: {person} takes over as head of {thing}, whose former head has retired.", "{date}: {thing} is now headed by {person}; the predecessor has left."),
    ("{thing} is currently headed by {person}.", "The current head of {thing} is {person}.", "{person} heads {thing} today."),
)  # fmt: skip

DISTANCE = Relation(
    "distance", ("thing",), ("amount", "unit"),
    ("{thing} is {amount} {unit} from the station.", "From the station it is {amount} {unit} to {thing}."),
    ("{thing} is {amount} {unit} from the station.", "The station is {amount} {unit} from {thing}.", "Between the station and {thing} lie {amount} {unit}."),
)  # fmt: skip
BUDGET = Relation(
    "budget", ("thing", "year"), ("amount", "unit"),
    ("In {year}, {thing} spent {amount} {unit} crowns.", "Spending of {thing} in {year}: {amount} {unit} crowns."),
    ("{thing} spent {amount} {unit} crowns in {year}.", "In {year}, spending at {thing} was {amount} {unit} crowns.", "Spending of {thing} came to {amount} {unit} crowns in {year}."),
)  # fmt: skip

VISITORS = Relation(
    "visitors", ("thing", "year", "period"), ("number",),
    ("{thing} counted {number} visitors in {period} of {year}.", "In {period} of {year}, {number} visitors came to {thing}."),
    ("In {period} of {year}, {thing} had {number} visitors.", "{thing} counted {number} visitors in {period} of {year}.", "{number} visitors came to {thing} in {period} of {year}."),
)  # fmt: skip
LOANS = Relation(
    "loans", ("thing", "scope"), ("number",),
    ("{scope} of {thing} lent {number} books.", "Books lent by {scope} of {thing}: {number}."),
    ("{scope} of {thing} lent {number} books.", "{number} books were lent by {scope} of {thing}.", "The number of books lent by {scope} of {thing} is {number}."),
)  # fmt: skip

FEE_RULE = Relation(
    "fee_rule", ("thing", "day"), ("amount",),
    ("On {day}, entry to {thing} is free with a member card; without one it costs {amount} crowns.", "Entry to {thing} on {day}: free with a member card, {amount} crowns without one."),
    ("On {day}, entry to {thing} costs {amount} crowns without a member card.",),
)  # fmt: skip
FEE = Relation(
    "fee", ("thing", "day", "condition"), ("fee",),
    (),
    ("On {day}, entry to {thing} is {fee}{condition}.", "Entry to {thing} is {fee} on {day}{condition}.", "{thing} can be visited {fee} of charge on {day}{condition}."),
    condition="condition",
)  # fmt: skip
REFUND_RULE = Relation(
    "refund_rule", ("thing",), ("days",),
    ("{thing} refunds a booking in full if it is cancelled at least {days} days ahead; after that nothing is refunded.", "Cancelled at least {days} days ahead, a booking at {thing} is refunded in full; cancelled later, it is not refunded at all."),
    ("{thing} refunds nothing if a booking is cancelled less than {days} days ahead.",),
)  # fmt: skip
REFUND = Relation(
    "refund", ("thing", "condition"), ("refund",),
    (),
    ("{thing} refunds a cancelled booking {refund}{condition}.", "A cancelled booking at {thing} is refunded {refund}{condition}.", "At {thing}, a booking that is cancelled is refunded {refund}{condition}."),
    condition="condition",
)  # fmt: skip

BOOKED = Relation(
    "booked", ("thing", "what"), ("state",),
    ("Call of book_room({what}) for {thing}: {state}.", "{thing}, book_room({what}): {state}."),
    ("For {thing}, {what} is {state}.",),
)  # fmt: skip
BOOKED_ALL = Relation(
    "booked_all", ("thing",), ("quantity",),
    (),
    ("For {thing}, {quantity} rooms are booked.", "{quantity} rooms of {thing} have been booked.", "Done: {quantity} rooms of {thing} are booked."),
)  # fmt: skip
COPIED = Relation(
    "copied", ("thing",), ("number",),
    ("Call of copy_files({thing}): stopped after {number} of {total} files; the rest were not copied.", "Call of copy_files({thing}): {number} of {total} files copied, then the disk was full."),
    ("{number} files of {thing} have been copied.", "Done: {number} files of {thing} are copied.", "The copy of {thing} has {number} files."),
)  # fmt: skip
PAYMENT = Relation(
    "payment", ("thing",), ("outcome",),
    ("Call of charge_card({thing}): error 402, card declined; nothing was charged.", "Call of charge_card({thing}): failed, the bank did not answer; no money was taken."),
    ("The payment for {thing} {outcome}.", "The card payment for {thing} {outcome}.", "As for the payment for {thing}, it {outcome}."),
)  # fmt: skip
MESSAGE = Relation(
    "message", ("thing", "person"), ("outcome",),
    ("Call of send_message(to {person}, about {thing}): error, mailbox full; not delivered.", "Call of send_message(to {person}, about {thing}): rejected, unknown address; not delivered."),
    ("The message to {person} about {thing} {outcome}.", "A message about {thing} to {person} {outcome}.", "As for the message to {person} about {thing}, it {outcome}."),
)  # fmt: skip
