#include "extension/answers/refined.h"

#include "extension/answers/node.h"
#include "extension/budget/account.h"
#include "extension/budget/amount.h"
#include "extension/budget/balance.h"
#include "extension/pg/nodes.h"
#include "extension/pg/plain_output.h"
#include "extension/release/noise.h"

namespace idp {

namespace {

int group_count(const AskedNode& asked, const KeptAnswer& answer) {
  return list_length(answer.texts) / (list_length(asked.keys) + 1);
}

// Whether all that was charged for it counts in the present periods.
bool is_of_present(const List* accounts, TimestampTz at) {
  for (const auto* account : list<Account>(accounts)) {
    if (account->renewal != nullptr && at < balance_of(account->id, account->renewal).starts) {
      return false;
    }
  }
  return true;
}

const KeptAnswer* last_of(const List* answers, TimestampTz at) {
  const KeptAnswer* last = nullptr;
  for (const auto* answer : list<KeptAnswer>(answers)) {
    if (answer->at != at) continue;
    if (last == nullptr || answer->epsilon > last->epsilon) last = answer;
  }
  return last;
}

// Of one group. In plain settings.
char* text_of(const AskedNode& asked, const AskedNumber& number, const GroupNoise& group) {
  const Form_pg_attribute column = TupleDescAttr(columns_of_answers(asked.node), number.column);
  Datum answer = 0;
  if (!answer_of(group.record, number.call->request.epsilon_span(), group.noise, column->atttypid,
                 &answer)) {
    return nullptr;
  }
  Oid output = InvalidOid;
  bool is_varlena = false;
  getTypeOutputInfo(column->atttypid, &output, &is_varlena);
  return OidOutputFunctionCall(output, answer);
}

GroupNoise* refined_noise(const GroupNoise& group, double before, double epsilon) {
  const StoredLevel level{&before, 1, group.noise};
  auto* refined = static_cast<GroupNoise*>(palloc(sizeof(GroupNoise)));
  *refined = {group.record, noise_at(group.record, &level, 1, &epsilon, 1)};
  return refined;
}

List* sums_of(const List* a, const List* b) {
  List* sums = NIL;
  ListCell* first;
  ListCell* second;
  forboth(first, a, second, b) {
    const Datum sum = sum_of(PointerGetDatum(lfirst(first)), PointerGetDatum(lfirst(second)));
    sums = lappend(sums, DatumGetPointer(sum));
  }
  return sums;
}

}  // namespace

bool may_be_refined(const AskedNode& asked, const AskedNumber& number, const KeptAnswer& answer) {
  if (answer.noise == NIL || list_length(answer.noise) != group_count(asked, answer)) return false;
  if (list_length(answer.costs) != list_length(number.accounts)) return false;
  const auto* first = static_cast<const GroupNoise*>(linitial(answer.noise));
  return record_answers(first->record, number.call->request.spec) &&
         is_of_present(number.accounts, answer.at);
}

void charge_refined(const AskedNumber& number, const KeptAnswer& answer) {
  auto* paid = static_cast<PaidBefore*>(palloc(sizeof(PaidBefore)));
  *paid = {answer.epsilon, answer.at, answer.costs};
  number.call->charge.is_repeated = true;
  number.call->charge.paid = paid;
}

const KeptAnswer* refined_answer(const AskedNode& asked, const AskedNumber& number,
                                 TimestampTz at) {
  // As it is now: the statement itself may have refined it, if it asks twice.
  const KeptAnswer* before = last_of(kept_answers(number), at);
  if (before == nullptr) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("answers were forgotten while they were refined: ask again"),
                    errdetail("What refining costs was charged."), errhint("Ask again.")));
  }
  if (before->is_enough) return before;
  auto* refined = static_cast<KeptAnswer*>(palloc(sizeof(KeptAnswer)));
  const double epsilon = number.call->request.epsilons[0];
  const CallCharge& charge = number.call->charge;
  *refined = {at,
              true,
              epsilon,
              list_copy(before->texts),
              NIL,
              sums_of(before->costs, charge.costs),
              list_concat_copy(before->charges, charges_of(charge.numbers))};
  const int width = list_length(asked.keys) + 1;
  ListCell* cell;
  for (const auto* each : list<GroupNoise>(before->noise)) {
    refined->noise = lappend(refined->noise, refined_noise(*each, before->epsilon, epsilon));
  }
  PlainOutput plain;
  foreach (cell, refined->noise) {
    const int place = foreach_current_index(cell) * width + width - 1;
    lfirst(list_nth_cell(refined->texts, place)) =
        text_of(asked, number, *static_cast<const GroupNoise*>(lfirst(cell)));
  }
  plain.end();
  keep_refined(asked, number, *refined);
  return refined;
}

}  // namespace idp
