"""One hand of each room as it writes them, with what parsers stumble over: for tests and for benchmarks/fuzz.py."""

from __future__ import annotations

CASH = """\
PokerStars Hand #74000000001:  Hold'em No Limit ($0.02/$0.05 USD) - 2025/12/24 18:13:43 ET
Table 'Alpha: (fast) 7' 6-max Seat #1 is the button
Seat 1: a:b ($5 in chips)
Seat 2: bets $9 ($4.10 in chips)
Seat 3: x [Ah] (y) ($10.25 in chips)
Seat 4: away ($3 in chips) is sitting out
Seat 6: Zoë ($5 in chips)
bets $9: posts small blind $0.02
x [Ah] (y): posts big blind $0.05
away: sits out
*** HOLE CARDS ***
Dealt to Zoë [Th 5c]
Zoë: raises $0.10 to $0.15
a:b said, "Zoë: folds"
a:b: folds
bets $9: raises $0.40 to $0.55
x [Ah] (y): folds
Zoë: calls $0.40
*** FLOP *** [Ad 7d 4h]
bets $9: bets $3.55 and is all-in
Zoë: calls $3.55
*** TURN *** [Ad 7d 4h] [Ts]
*** RIVER *** [Ad 7d 4h Ts] [3h]
*** SHOW DOWN ***
bets $9: shows [4d 6d] (a pair of Fours)
Zoë: shows [Th 5c] (a pair of Tens)
Zoë collected $7.85 from pot
*** SUMMARY ***
Total pot $8.25 | Rake $0.40
Board [Ad 7d 4h Ts 3h]
Seat 2: bets $9 (small blind) showed [4d 6d] and lost with a pair of Fours
Seat 6: Zoë showed [Th 5c] and won ($7.85) with a pair of Tens
"""

GG = """\
Poker Hand #RC1000000001: Hold'em No Limit ($0.01/$0.02) - 2025/04/09 22:13:05
Table 'RushAndCash1' 6-max Seat #1 is the button
Seat 1: 1a2b3c4d ($2 in chips)
Seat 2: Hero ($1.77 in chips)
Seat 3: 626f7725 ($2 in chips)
Seat 5: deadbee ($2 in chips)
Hero: posts small blind $0.01
626f7725: posts big blind $0.02
deadbee: posts missed blind $0.01
deadbee: posts big blind $0.02
*** HOLE CARDS ***
Dealt to 1a2b3c4d
Dealt to Hero [As Ks]
Dealt to 626f7725
Dealt to deadbee
deadbee: checks
1a2b3c4d: folds
Hero: raises $1.75 to $1.77 and is all-in
626f7725: calls $1.75
deadbee: folds
Hero: shows [As Ks]
626f7725: shows [Qh Qd]
*** FIRST FLOP *** [2d 4h Ac]
*** FIRST TURN *** [2d 4h Ac] [7h]
*** FIRST RIVER *** [2d 4h Ac 7h] [8s]
*** SECOND FLOP *** [Td Qc 2c]
*** SECOND TURN *** [Td Qc 2c] [Kc]
*** SECOND RIVER *** [Td Qc 2c Kc] [9h]
*** FIRST SHOWDOWN ***
Hero collected $1.73 from pot
*** SECOND SHOWDOWN ***
626f7725 collected $1.73 from pot
*** SUMMARY ***
Total pot $3.57 | Rake $0.1 | Jackpot $0.01 | Bingo $0
Hand was run two times
FIRST Board [2d 4h Ac 7h 8s]
SECOND Board [Td Qc 2c Kc 9h]
"""

SHORT_BLIND = """\
PokerStars Game #75000000001: Tournament #518183000, 2000+110 Hold'em No Limit - Level II (15/30) - 2012/02/16 22:26:13 ET
Table '518183000 1' 9-max Seat #3 is the button
Seat 3: Ann (1,215 in chips)
Seat 4: Bob (1640 in chips)
Seat 6: Cat (20 in chips) is sitting out
Seat 7: Dan (1630 in chips)
Bob: posts small blind 15
Cat: posts big blind 20 and is all-in
*** HOLE CARDS ***
Dealt to Ann [Kc Ad]
Dan: calls 30
Ann: folds
Bob: calls 15
Cat: folds
*** FLOP *** [6s Qs Ac]
Bob: checks
Dan: bets 30
Bob: folds
Uncalled bet (30) returned to Dan
Dan collected 80 from pot
*** SUMMARY ***
Total pot 80 | Rake 0
Board [6s Qs Ac]
"""

WINAMAX = """\
Winamax Poker - CashGame - HandId: #21819158-393-1765807340 - Holdem no limit (0.01€/0.02€) - 2025/12/15 14:02:20 UTC
Table: 'Nice 09' 5-max (real money) Seat #3 is the button
Seat 1: Zoé (1.76€)
Seat 3: le (grand) 9 (2€)
Seat 4: Hero (2.04€)
Seat 5: new one (2€)
*** ANTE/BLINDS ***
Hero posts small blind 0.01€
new one posts big blind 0.02€
Zoé posts small blind 0.03€ out of position
Zoé posts big blind 0€ out of position
Dealt to Hero [As Kd]
*** PRE-FLOP ***
Zoé checks
le (grand) 9 folds
Hero raises 0.04€ to 0.06€
new one folds
Zoé calls 0.04€
*** FLOP *** [6d Qc 7s]
Hero bets 0.08€
Zoé raises 0.08€ to 0.16€
Hero folds
Zoé collected 0.38€ from pot
*** SUMMARY ***
Total pot 0.38€ | Rake 0.01€
Board: [6d Qc 7s]
Seat 1: Zoé won 0.38€
"""

PARTY_OLD = """\
Game #11491869882 starts.

#Game No : 11491869882
***** Hand History for Game 11491869882 *****
$2 USD NL Texas Hold'em - Thursday, March 01, 05:18:55 EST 2012
Table Speed #2409913 (No DP) (Real Money)
Seat 8 is the button
Total number of players : 4/9
Seat 9: Ann ( $1.98 USD )
Seat 1: Bob B. ( $0.01 USD )
Seat 3: Cat ( $2.33 USD )
Seat 8: Dan ( $1 USD )
Ann posts small blind [$0.01 USD].
Bob B. posts big blind [$0.01 USD].
** Dealing down cards **
Dealt to Dan [  Ah 3c ]
Cat: hi, Dan folds
Cat calls [$0.02 USD]
Dan raises [$0.06 USD]
Ann folds
Cat calls [$0.04 USD]
** Dealing Flop ** [ 3h, 8d, Kd ]
Cat checks
Dan is all-In  [$0.94 USD]
Cat folds
** Dealing Turn ** [ Th ]
** Dealing River ** [ 8h ]
Dan shows [ Ah, 3c ]two pairs, Eights and Threes.
Bob B. doesn't show [ Qs, Jd ]a pair of Eights.
Dan wins $1.04 USD from the side pot 1 with two pairs, Eights and Threes.Dan wins $0.03 USD from the main pot with two pairs.
Bob B. has left the table.
"""

PARTY_NEW = """\
***** Hand History For Game 15755902748513x9bwt8w5zk *****
20/40 Tourney Texas Holdem Game Table (NL) (SNG JackPot Tournament #241086059) (Buyin $0.23 + $0.02) - Thu Dec 05 18:57:46 EST 2019
Table (241086059) Table #1 (Real Money) -- Seat 2 is the button
Total number of players : 2/3
Seat 2: Player1 (327)
Seat 3: Hero (1173)
Player1 posts small blind (20)
Hero posts big blind (40)
** Dealing down cards **
Dealt to Hero [ Ah, Ks ]
Player1 raises 307 to 327
Player1 is all-In.
Hero calls (287)
** Dealing Flop ** : [ 4d, 8c, 8s ]
** Dealing Turn ** : [ 6d ]
** Dealing River ** : [ Kd ]
Creating Main Pot with 654 with Player1
** Summary **
Main Pot: 654
Board: [ 4d, 8c, 8s, 6d, Kd ]
Player1 balance 654, bet 327, collected 654, net +327[ 8h, 3d ] [ three of a kind, eights -- Kd,8h,8c,8s,6d ]
Hero balance 846, lost 327[ Ah, Ks ] [ two pairs, kings and eights -- Ah,Ks,Kd,8c,8s ]
"""

IPOKER = """\
<?xml version="1.0" encoding="utf-8"?>
<session sessioncode="6231386447">
<general><mode>real</mode><gametype>Holdem NL $0.10/$0.20</gametype><tablename>Memphis, 98641631</tablename>
<currency>USD</currency><nickname>Hero</nickname></general>
<game gamecode="3056022611">
<general><startdate>2011-12-02 20:44:59</startdate><players>
<player seat="1" name="A &amp; B" chips="$17.03" dealer="1" win="$0" bet="$0"/>
<player seat="3" name="Hero" chips="$1,025.82" dealer="0" win="$0" bet="$1.20"/>
<player seat="5" name="Player8" chips="$16" dealer="0" win="$3.18" bet="$1.80"/>
<player seat="8" name="late" chips="$4" dealer="0" win="$0" bet="$0.30"/>
</players></general>
<round no="0">
<action no="3" player="late" type="2" sum="$0.30" cards="[cards]"/><action no="1" player="Hero" type="1" sum="$0.10"/>
<action no="2" player="Player8" type="2" sum="$0.20"/>
</round>
<round no="1">
<cards type="Pocket" player="A &amp; B">X X</cards><cards type="Pocket" player="Hero">H10 DA</cards>
<action no="4" player="late" type="4" sum="$0"/><action no="5" player="A &amp; B" type="0" sum="$0"/>
<action no="7" player="Player8" type="3" sum="$0.40"/><action no="6" player="Hero" type="23" sum="$0.60"/>
<action no="8" player="late" type="0" sum="$0"/>
</round>
<round no="2"><cards type="Flop" player="">DK S8 H2</cards>
<action no="9" player="Hero" type="5" sum="$0.60"/><action no="10" player="Player8" type="23" sum="$1.20"/>
<action no="11" player="Hero" type="0" sum="$0"/>
</round>
</game>
</session>
"""

TEXTS = {
    "cash": CASH,
    "gg": GG,
    "short_blind": SHORT_BLIND,
    "winamax": WINAMAX,
    "party_old": PARTY_OLD,
    "party_new": PARTY_NEW,
    "ipoker": IPOKER,
}
"""By name."""
