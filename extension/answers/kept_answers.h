// The rows of idp.answer: numbers that were answered.
#pragma once

#include "extension/pg/pg.h"

#include "extension/answers/numbers.h"

namespace idp {

struct KeptAnswer {
  TimestampTz at;
  List* texts;  // of char*, group by group: the keys, then the number; null stands for NULL
};

// Of KeptAnswer: those of a number that are current and drawn for no less epsilon, the last first;
// of one time those of just this epsilon. On disk.
List* kept_answers(const AskedNumber& number);

// Keeps one that was drawn, unless it is large; and deletes some that have expired.
void keep_answer(const AskedNode& asked, const AskedNumber& number, const KeptAnswer& answer);

}  // namespace idp
