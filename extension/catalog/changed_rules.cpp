#include "extension/catalog/changed_rules.h"

extern "C" {
#include "access/transam.h"
#include "access/xact.h"
}

namespace idp {

namespace {

TransactionId changed_in = InvalidTransactionId;

}  // namespace

void note_changed_rules() { changed_in = GetTopTransactionId(); }

void require_unchanged_rules() {
  if (!TransactionIdIsValid(changed_in) || changed_in != GetTopTransactionIdIfAny()) return;
  ereport(ERROR,
          (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
           errmsg("this transaction has changed rules of privacy: ask after COMMIT"),
           errdetail("If it were rolled back, what answers cost under the new rules would count "
                     "under the old ones."),
           errhint("End the transaction with COMMIT, and ask in the next one.")));
}

}  // namespace idp
