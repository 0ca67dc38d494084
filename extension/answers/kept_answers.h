// The rows of idp.answer: numbers that were answered.
//
// A row holds an answer in all groups, and, where more epsilon can refine it (refined.h), what was
// frozen of each group and its noise. The rows of one draw, told by number and time, are levels of
// one chain, of which the finest is the one to go on from. A second level from a coarser one would
// be a second draw of noise that was paid once, so coarser rows always go before finer ones.
#pragma once

#include "extension/pg/pg.h"

#include "extension/answers/numbers.h"

namespace idp {

// Answers with more values are not kept, however short these are.
inline constexpr int kMostValues = 100000;

// What one group's answer can be refined from: core/gradual/record.h.
struct GroupNoise {
  bytea* record;
  bytea* noise;
};

struct KeptAnswer {
  TimestampTz at;  // before it was charged
  bool is_enough;  // whether it was drawn for no less epsilon than is asked for
  double epsilon;  // the first one that it was drawn for
  List* texts;     // of char*, group by group: the keys, then the number; null stands for NULL
  List* noise;     // of GroupNoise, group by group; NIL if it cannot be refined
  List* costs;     // of Datum: what each of its accounts was charged for it altogether
  List* charges;   // of char*: the rows of the ledger that say so (charge of view idp.ledger)
};

// Of KeptAnswer: those of a number that are current, the last first, which were drawn for no less
// epsilon, of one time those of just this epsilon first; and those that may be refined. On disk.
List* kept_answers(const AskedNumber& number);

// Of ChargeNumber, as the ledger writes them.
List* charges_of(const List* numbers);

// Keeps one that was drawn, unless it is large; and deletes some that have expired.
void keep_answer(const AskedNode& asked, const AskedNumber& number, const KeptAnswer& answer);

// Keeps one that was refined, in place of what it was made of. The caller waits for make_durable().
void keep_refined(const AskedNode& asked, const AskedNumber& number, const KeptAnswer& answer);

}  // namespace idp
