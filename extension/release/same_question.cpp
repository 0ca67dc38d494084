#include "extension/release/same_question.h"

#include "core/aggregate/answer.h"
#include "extension/catalog/stored_text.h"
#include "extension/pg/attempt.h"
#include "extension/plan/question.h"
#include "extension/release/readers.h"
#include "extension/release/release_name.h"

namespace idp {

namespace {

const char* words_for(const char* condition) {
  return condition[0] == '\0' ? "of all rows" : condition;
}

bool is_same_column(const StoredChain& chain, const BoundCall& call) {
  return is_stored_as(chain.column, call.release.column) ||
         (chain.condition == nullptr && is_stored_as(chain.column, call.release.column_in_session));
}

// What differs, as sentences; empty if nothing does.
char* differences(const StoredChain& chain, const Asked& asked) {
  StringInfoData text;
  initStringInfo(&text);
  const Spec& spec = asked.request->spec;
  if (chain.table != asked.call->release.table) {
    appendStringInfoString(&text, " The table is another.");
  }
  if (strcmp(chain.aggregate, asked.call->name) != 0) {
    appendStringInfoString(&text, " The aggregate is another.");
  } else if (!is_same_column(chain, *asked.call)) {
    appendStringInfoString(&text, " The column is another.");
  } else if (chain.record != nullptr && !record_answers(chain.record, spec)) {
    const Spec before = record_spec(chain.record);
    if (before.grid != spec.grid) {
      appendStringInfo(&text, " The column was of type %s, and is of type %s.",
                       type_text(before.grid), type_text(spec.grid));
    } else {
      appendStringInfoString(&text, " A parameter is another.");
    }
  } else if (chain.result != asked.result) {
    appendStringInfo(&text, " The answer was of type %s, and is of type %s.",
                     format_type_be(chain.result), format_type_be(asked.result));
  }
  if (chain.condition != nullptr && asked.condition != nullptr &&
      strcmp(chain.condition, asked.condition) != 0) {
    if (may_see_condition(chain)) {
      appendStringInfo(&text, " It was asked %s, and is asked %s now.", words_for(chain.condition),
                       words_for(asked.condition));
    } else {
      appendStringInfoString(&text, " It is asked of other rows.");
    }
  }
  return text.data;
}

struct Attempt {
  const BoundCall* call;
  char* condition;
};

void word_condition(void* argument) {
  auto* attempt = static_cast<Attempt*>(argument);
  attempt->condition =
      short_form(question_text(attempt->call->release.question, attempt->call->node));
}

}  // namespace

Asked what_is_asked(BoundCall* call, const Request* request, Oid result) {
  Attempt attempt{call, nullptr};
  bring_up_to_date(call->release.question, call->node);
  if (!has_group_names(call)) {
    word_condition(&attempt);
  } else if (!succeeds(word_condition, &attempt)) {
    attempt.condition = nullptr;
  }
  return {call, request, result, attempt.condition};
}

bool is_same(const StoredChain& chain, const Asked& asked) {
  return differences(chain, asked)[0] == '\0';
}

void require_same(const StoredChain& chain, const Asked& asked) {
  const char* found = differences(chain, asked);
  if (found[0] == '\0') return;
  const char* separator = chain.column[0] ? " of " : "";
  ereport(ERROR,
          (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
           errmsg("release \"%s\" stands for another question", chain.name),
           errdetail("It is %s%s%s over table \"%s\".%s", chain.aggregate, separator, chain.column,
                     chain.table_name ? chain.table_name : "(several or none)", found),
           errhint("Choose another release name.")));
}

}  // namespace idp
