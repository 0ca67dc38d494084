// Numbers that are asked again with more epsilon: refined for the difference.
//
// Of an answer that is true value plus noise the first draw keeps what it was made of, group by
// group: the value and its sensitivity as they were then, and the noise (core/gradual/record.h). At
// epsilon_2 > epsilon_1 the noise is drawn again given what it was: the step of a named release
// (release/noise.h), from its finest level.
//
// Law. The noise of a group at its levels is the process of core/gradual/process.h: at each it is
// that of an answer which is the only one, and going from fine to coarse it takes steps that depend
// neither on finer levels nor on data. Groups, and the numbers of one statement, are drawn
// independently, as their first noise was.
//
// Loss. Given the finest level the coarser answers are post-processing, for all groups together, so
// those at epsilon_1, ..., epsilon_2 are worth epsilon_2, as often as an answer of that kind counts
// for an account (statement/charging.h): what it costs now at epsilon_2 less what it was charged is
// charged, and not more is taken off than it would cost now at epsilon_1, should rules have
// changed. In a later period the odds may turn from one to the other, and both count
// (core/accounting/ period.h): then a new draw is cheaper, and made.
//
// That holds as long as there is one level after the other: no second draw is made of one that was
// given. So a refined answer is on disk before it is given, under the lock of its number; what is
// read there is the finest there is; and coarser rows are deleted before finer ones.
//
// What cannot be refined is drawn anew and charged whole: answers of other mechanisms, those for
// several epsilons, decisions about groups and all that a statement asks of these groups, more than
// 4 MB of noise, and what reads rows of the past.
#pragma once

#include "extension/pg/pg.h"

#include "extension/answers/kept_answers.h"

namespace idp {

// Whether a kept answer, for less epsilon than is asked for, can be refined to it.
bool may_be_refined(const AskedNode& asked, const AskedNumber& number, const KeptAnswer& answer);

// Has the call charged what that costs.
void charge_refined(const AskedNumber& number, const KeptAnswer& answer);

// Once it is charged: the answer of that time for the epsilon that is asked for. The number is
// locked, and the caller waits for make_durable().
const KeptAnswer* refined_answer(const AskedNode& asked, const AskedNumber& number, TimestampTz at);

}  // namespace idp
