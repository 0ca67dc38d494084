// The functions by which the owner of a table protects it, and what becomes of its account when it
// is dropped.
//
// The account of a dropped table waits for a table of its name. One of the same owner that gets the
// name takes it, unless something may have been asked about its rows before: then, as of a table of
// another owner, nothing is answered about it until idp.protect lets what was spent of both count,
// or idp.unprotect ends the account, for tables of that owner alone: it waits on for the one it is
// of. So a table that is dropped and made again never loses what was spent, no table loses it by
// another one's name, and nobody can spoil a name for others.
#include "extension/pg/sql_function.h"
#include "extension/pg/pg.h"

#include "extension/budget/account.h"
#include "extension/budget/amount.h"
#include "extension/budget/balance.h"
#include "extension/budget/links.h"
#include "extension/budget/own_account.h"
#include "extension/budget/owned_table.h"
#include "extension/budget/partition_share.h"
#include "extension/budget/past.h"
#include "extension/catalog/account_rows.h"
#include "extension/catalog/column_reference.h"
#include "extension/catalog/link_rows.h"
#include "extension/catalog/own_rows.h"
#include "extension/pg/arguments.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/former_names.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "commands/dbcommands.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"
#include "utils/varlena.h"
}

namespace idp {

namespace {

// One that 0 takes away.
void require_epsilon(const NullableDatum& argument, const char* name) {
  if (argument.isnull || DatumGetFloat8(argument.value) == 0) return;
  const double epsilon = DatumGetFloat8(argument.value);
  require_epsilons({&epsilon, 1}, name);
}

void require_floor(const NullableDatum& argument) {
  if (argument.isnull) return;
  const double floor = DatumGetFloat8(argument.value);
  if (floor >= 0 && !isinf(floor)) return;
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("floor must be a finite number, at least 0")));
}

void require_given(const NullableDatum& argument, const char* name) {
  if (argument.isnull) refuse_null(name);
}

void require_neighbours(const NullableDatum& argument) {
  if (argument.isnull || neighbours_named(TextDatumGetCString(argument.value))) return;
  ereport(ERROR,
          (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("neighbours %s", kNeighboursRule)));
}

void require_rows(const NullableDatum& argument) {
  if (argument.isnull) return;
  const char* rows = TextDatumGetCString(argument.value);
  if (strcmp(rows, "hidden") == 0 || strcmp(rows, "visible") == 0) return;
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("rows must be \"hidden\" or \"visible\"")));
}

bool is_named(const NullableDatum& argument, const char* name) {
  return strcmp(TextDatumGetCString(argument.value), name) == 0;
}

void require_per(const NullableDatum& argument) {
  if (argument.isnull || is_named(argument, "table") || is_named(argument, "partition")) return;
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("per must be \"table\" or \"partition\""),
                  errhint("With \"partition\" each partition of the table has the whole budget.")));
}

void require_partitioned(Oid table) {
  if (get_rel_relkind(table) == RELKIND_PARTITIONED_TABLE) return;
  ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                  errmsg("table \"%s\" is not partitioned", get_rel_name(table)),
                  errhint("Leave per out: the table has one budget. Only a table that was created "
                          "with PARTITION BY has a budget for each partition.")));
}

[[noreturn]] void refuse_units_of_partitions(Oid table) {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("table \"%s\" cannot have units and a budget for each partition",
                         get_rel_name(table)),
                  errdetail("Rows of linked tables lie in no partition of it."),
                  errhint("Leave unit or per out.")));
  pg_unreachable();
}

bool names_library(const char* setting) {
  const char* libraries = GetConfigOption(setting, true, false);
  List* names = NIL;
  if (libraries == nullptr || !SplitDirectoriesString(pstrdup(libraries), ',', &names))
    return false;
  for (const auto* name : list<char>(names)) {
    const char* slash = strrchr(name, '/');
    if (strcmp(slash ? slash + 1 : name, "idp") == 0) return true;
  }
  return false;
}

// Sessions alone load what session_preload_libraries names, workers that maintain tables do not.
void warn_unless_preloaded() {
  if (names_library("shared_preload_libraries")) return;
  const char* where = names_library("session_preload_libraries")
                          ? "In an autovacuum worker, which executes functions of indexes"
                          : "In a session, or an autovacuum worker, that has not loaded it";
  ereport(WARNING,
          (errmsg("library idp is not in \"shared_preload_libraries\""),
           errdetail("%s, a view that runs with the rights of its owner still shows rows of the "
                     "table.",
                     where),
           errhint("Add it and restart the server, or, from PostgreSQL 15 on, make such views WITH "
                   "(security_invoker).")));
}

// The rules of an account, each as given to idp.protect, or null to leave it as it is.
struct Rules {
  NullableDatum neighbours;
  NullableDatum min_epsilon;
  NullableDatum floor;
  NullableDatum rows;
  NullableDatum per;
  NullableDatum renew;
  NullableDatum unit;
  NullableDatum delta;
  NullableDatum repeat;
  NullableDatum epsilon;
  NullableDatum max_epsilon;
  Past past;
  bool can_hide;  // the function of an earlier version has no argument rows, nor the lock for them
};

Past past_named(const NullableDatum& forget) {
  return !forget.isnull && DatumGetBool(forget.value) ? Past::kForgotten : Past::kCounts;
}

Rules rules_given(FunctionCallInfo fcinfo) {
  const NullableDatum* arguments = fcinfo->args;
  const bool can_hide = PG_NARGS() >= 6;
  constexpr NullableDatum kNone{0, true};
  const Rules rules{arguments[2],
                    arguments[3],
                    arguments[4],
                    can_hide ? arguments[5] : kNone,
                    PG_NARGS() >= 8 ? arguments[6] : kNone,
                    PG_NARGS() >= 8 ? arguments[7] : kNone,
                    PG_NARGS() >= 9 ? arguments[8] : kNone,
                    PG_NARGS() >= 10 ? arguments[9] : kNone,
                    PG_NARGS() >= 12 ? arguments[11] : kNone,
                    PG_NARGS() >= 14 ? arguments[12] : kNone,
                    PG_NARGS() >= 14 ? arguments[13] : kNone,
                    PG_NARGS() >= 11 ? past_named(arguments[10]) : Past::kCounts,
                    can_hide};
  require_neighbours(rules.neighbours);
  require_epsilon(rules.min_epsilon, "min_epsilon");
  require_epsilon(rules.epsilon, "epsilon");
  require_epsilon(rules.max_epsilon, "max_epsilon");
  require_floor(rules.floor);
  require_rows(rules.rows);
  require_per(rules.per);
  if (!rules.delta.isnull) require_delta(rules.delta.value);
  if (!rules.repeat.isnull) (void)repeats_named(TextDatumGetCString(rules.repeat.value));
  return rules;
}

// A rule that 0 takes away.
void set_number(AccountRow* row, int column, const NullableDatum& given) {
  if (given.isnull) return;
  row->values[column] = given.value;
  row->nulls[column] = DatumGetFloat8(given.value) == 0;
}

void set_rules(AccountRow* row, const Rules& rules) {
  using namespace account_column;
  if (!rules.neighbours.isnull) row->values[kNeighbours] = rules.neighbours.value;
  set_number(row, kMinEpsilon, rules.min_epsilon);
  set_number(row, kFloor, rules.floor);
  set_number(row, kEpsilon, rules.epsilon);
  set_number(row, kMaxEpsilon, rules.max_epsilon);
  const bool hidden = rules.rows.isnull
                          ? row->hidden()
                          : strcmp(TextDatumGetCString(rules.rows.value), "hidden") == 0;
  row->values[kHidden] = BoolGetDatum(hidden);
  row->nulls[kHidden] = false;
  if (!rules.per.isnull) row->values[kPer] = rules.per.value;
  if (!rules.renew.isnull) {
    Interval* renewal = renewal_named(TextDatumGetCString(rules.renew.value));
    row->values[kRenewal] = IntervalPGetDatum(renewal);
    row->nulls[kRenewal] = renewal == nullptr;
  }
  if (!rules.repeat.isnull) {
    Interval* repeats = repeats_named(TextDatumGetCString(rules.repeat.value));
    row->values[kRepeats] = IntervalPGetDatum(repeats);
    row->nulls[kRepeats] = repeats == nullptr;
  }
  if (!rules.delta.isnull) {
    row->values[kDelta] = rules.delta.value;
    row->nulls[kDelta] = is_none(rules.delta.value);
  }
  if (rules.unit.isnull) return;
  row->values[kUnit] = rules.unit.value;
  row->nulls[kUnit] = false;
}

// What plain aggregates take is no less and no more than what may be given.
void require_epsilons_in_order(const AccountRow& row) {
  using namespace account_column;
  const auto is_more = [&](int a, int b) {
    return !row.nulls[a] && !row.nulls[b] &&
           DatumGetFloat8(row.values[a]) > DatumGetFloat8(row.values[b]);
  };
  if (!is_more(kMinEpsilon, kEpsilon) && !is_more(kEpsilon, kMaxEpsilon) &&
      !is_more(kMinEpsilon, kMaxEpsilon)) {
    return;
  }
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("min_epsilon, epsilon and max_epsilon must be in this order"),
                  errhint("0 takes one of them away.")));
}

// What holds unless it is given, of a table that is not protected yet.
void set_default_rules(AccountRow* row, const Rules& rules) {
  using namespace account_column;
  row->values[kNeighbours] = CStringGetTextDatum("substitute");
  row->values[kHidden] = BoolGetDatum(rules.can_hide);
  row->values[kPer] = CStringGetTextDatum("table");
  for (const int column :
       {kMinEpsilon, kFloor, kRenewal, kUnit, kDelta, kRepeats, kUnitColumn, kEpsilon, kMaxEpsilon})
    row->nulls[column] = true;
}

// Of that name in the table that the account has now.
void set_unit_column(AccountRow* row) {
  using namespace account_column;
  const Oid table = row->table();
  row->values[kUnitColumn] = column_reference(table, get_attnum(table, row->unit()));
  row->nulls[kUnitColumn] = false;
}

[[noreturn]] void refuse_rows_of_links(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
           errmsg("table \"%s\" cannot be protected row by row", get_rel_name(table)),
           errdetail("Tables are linked to it, whose rows belong to its units."),
           errhint("Name the unit with unit => …, or end the links with idp.unlink first.")));
  pg_unreachable();
}

// Reports an error if what was spent of an account has no bound under its new rules.
void require_bounded_past(Oid table, const AccountRow& before, const AccountRow& now, Past past) {
  const bool has_links = links_of_account(before.id()) != NIL;
  if (now.unit() == nullptr && has_links) refuse_rows_of_links(table);
  if (past == Past::kForgotten) return;
  const bool gets_units = before.unit() == nullptr && now.unit() != nullptr;
  if (gets_units && has_links && has_spent_beside(before.id(), before.id()))
    refuse_past_of_rows(table);
  require_no_local_answers(table, now, past);
}

// Links stay when an account ends. What was asked about the rows of such tables meanwhile was not
// charged to it, and has no bound for its units.
void require_no_past_of_links(const AccountRow& before, List* linked, Past past) {
  if (before.active()) return;
  for (const Oid oid : oids(linked)) {
    require_no_past(oid, before.id(), past, "idp.protect(forget => true)");
  }
}

Datum protect(FunctionCallInfo fcinfo) {
  using namespace account_column;
  require_given(fcinfo->args[0], "table");
  require_given(fcinfo->args[1], "budget");
  const Oid table = PG_GETARG_OID(0);
  require_budget(PG_GETARG_DATUM(1));
  const Rules rules = rules_given(fcinfo);
  PreventCommandIfReadOnly("idp.protect()");
  lock_out_queries(table, require_protectable);
  const char* owner = owner_of(table);
  bind_columns();
  const AccountRow* known = account_to_take(table, owner);
  require_own_account(table);
  AccountRow row{};
  if (known != nullptr) row = *known;
  if (known == nullptr || !known->active()) set_default_rules(&row, rules);
  set_rules(&row, rules);
  require_epsilons_in_order(row);
  if (row.per_partition()) require_partitioned(table);
  if (row.per_partition() && row.unit() != nullptr) refuse_units_of_partitions(table);
  row.values[kRelation] = ObjectIdGetDatum(table);
  row.values[kName] = CStringGetTextDatum(qualified_name(table));
  row.values[kOwner] = CStringGetTextDatum(owner);
  row.values[kActive] = BoolGetDatum(true);
  row.values[kBudget] = PG_GETARG_DATUM(1);
  row.nulls[kRelation] = false;
  row.nulls[kPartOf] = true;
  if (!rules.unit.isnull) require_unit(table, known, row.unit());
  const bool is_new = !rules.unit.isnull || known == nullptr || known->table() != table;
  if (row.unit() != nullptr && is_new) set_unit_column(&row);
  if (known != nullptr) require_bounded_past(table, *known, row, rules.past);
  List* linked = known == nullptr ? NIL : lock_linked_tables(known->id());
  if (known != nullptr) {
    require_no_past_of_links(*known, linked, rules.past);
    update_rules(*known, &row, rules.past);
  } else {
    row.values[kSince] = TimestampTzGetDatum(GetCurrentTimestamp());
    row.nulls[kWidened] = true;
    insert_account(&row);
  }
  end_waiting(table, owner, row.id());
  const bool goes_on = known != nullptr && known->active() && known->table() == table;
  if (!goes_on || rows_waiting_for(table) != NIL) take_over_past(table, row, rules.past);
  if (row.per_partition()) share_out(row, rules.past);
  if (known != nullptr && known->per_partition() && !row.per_partition()) {
    take_shares_back(row, rules.past);
  }
  set_locks(lcons_oid(table, linked), row.hidden());
  if (row.hidden()) warn_unless_preloaded();
  PG_RETURN_VOID();
}

// Whoever ends a protection is told what he may not have meant.
void tell_of_end(Oid table, bool was_protected, const List* linked) {
  if (!was_protected) {
    ereport(NOTICE,
            (errmsg("table \"%s\" has no account: nothing was ended", get_rel_name(table)),
             errhint("A linked table shares the account of the table of the unit: end that, "
                     "or the link with idp.unlink.")));
  }
  for (const Oid oid : oids(linked)) {
    ereport(NOTICE,
            (errmsg("rows of linked table \"%s\" are protected no more, either", get_rel_name(oid)),
             errdetail("Roles that have SELECT on it can read them.")));
  }
}

Datum unprotect(FunctionCallInfo fcinfo) {
  const Oid table = PG_GETARG_OID(0);
  PreventCommandIfReadOnly("idp.unprotect()");
  lock_out_queries(table, require_permanent);
  const char* owner = owner_of(table);
  List* shown = list_make1_oid(table);
  bool was_protected = false;
  for (const auto* row : list<AccountRow>(rows_of_table(table))) {
    if (!row->active() || is_held_share(*row)) continue;
    was_protected = true;
    List* linked = lock_linked_tables(row->id());
    deactivate_account(*row);
    if (row->per_partition()) end_shares(*row);
    keep_past_of_ended(table, *row);
    for (const Oid oid : oids(linked)) keep_past_of_units(oid, *row);
    shown = list_concat(shown, linked);
  }
  for (const auto* row : list<AccountRow>(rows_waiting_for(table))) {
    was_protected = true;
    if (!row->active()) continue;
    if (strcmp(row->owner(), owner) == 0) {
      List* linked = lock_linked_tables(row->id());
      deactivate_account(*row);
      keep_past_of_ended(table, *row);
      for (const Oid oid : oids(linked)) keep_past_of_units(oid, *row);
      shown = list_concat(shown, linked);
    } else {
      end_account(row->id(), owner);
    }
  }
  end_links_of_others(table);
  set_locks(shown, false);
  tell_of_end(table, was_protected, list_copy_tail(shown, 1));
  PG_RETURN_VOID();
}

// (table, schema, name) of a table that is dropped: its account waits for one of that name, which
// is the result; null if no release or domain is of the table.
Datum forget_table(FunctionCallInfo fcinfo) {
  using namespace account_column;
  List* rows = rows_of_table(PG_GETARG_OID(0));
  const Oid table = PG_GETARG_OID(0);
  const bool any = rows != NIL || links_of_table(table) != NIL;
  const char* owner = any ? owner_at_drop(table) : nullptr;
  const char* name =
      qualified_name(text_to_cstring(PG_GETARG_TEXT_PP(1)), text_to_cstring(PG_GETARG_TEXT_PP(2)));
  forget_links(table, name, owner);
  for (auto* row : list<AccountRow>(rows)) {
    row->nulls[kRelation] = row->nulls[kUnitColumn] = true;
    row->values[kName] = CStringGetTextDatum(name);
    if (owner != nullptr) row->values[kOwner] = CStringGetTextDatum(owner);
    update_account(*row);
    reopen_account(row->id());
  }
  const bool has_others = has_row("chain", "chain_relation", chain_column::kTable + 1, table) ||
                          has_row("domain", "domain_column", 1, table);
  if (!has_others) PG_RETURN_NULL();
  PG_RETURN_TEXT_P(cstring_to_text(name));
}

// (number, table, name, owner) of an account, and whether another owner's table counts: the table
// that the account is charged for now, or null.
Datum account_table(FunctionCallInfo fcinfo) {
  if (PG_ARGISNULL(0) || PG_ARGISNULL(2) || PG_ARGISNULL(3) || PG_ARGISNULL(4)) PG_RETURN_NULL();
  if (!PG_ARGISNULL(1) && relation_exists(PG_GETARG_OID(1))) PG_RETURN_OID(PG_GETARG_OID(1));
  const Oid table = table_named(text_to_cstring(PG_GETARG_TEXT_PP(2)));
  if (!OidIsValid(table)) PG_RETURN_NULL();
  const char* former = text_to_cstring(PG_GETARG_TEXT_PP(3));
  const char* present = owner_of(table);
  const bool same = present != nullptr && strcmp(former, present) == 0;
  const bool waits = same || (PG_GETARG_BOOL(4) && waits_for(PG_GETARG_INT32(0), former, table));
  if (!waits) PG_RETURN_NULL();
  PG_RETURN_OID(table);
}

// --- the type of the columns that name tables ---

Datum table_reference_in(FunctionCallInfo fcinfo) {
  const char* name = PG_GETARG_CSTRING(0);
  if (strcmp(name, "-") == 0) PG_RETURN_OID(InvalidOid);
  LOCAL_FCINFO(call, 1);
  InitFunctionCallInfoData(*call, nullptr, 1, InvalidOid, nullptr, nullptr);
  call->args[0].value = CStringGetTextDatum(name);
  call->args[0].isnull = false;
  const Datum table = to_regclass(call);
  PG_RETURN_OID(call->isnull ? InvalidOid : DatumGetObjectId(table));
}

Datum table_reference_out(FunctionCallInfo fcinfo) {
  char* name = qualified_name(PG_GETARG_OID(0));
  PG_RETURN_CSTRING(name ? name : pstrdup("-"));
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_table_reference_in, table_reference_in);
IDP_FUNCTION(idp_table_reference_out, table_reference_out);
IDP_FUNCTION(idp_protect, protect);
IDP_FUNCTION(idp_unprotect, unprotect);
IDP_FUNCTION(idp_forget_table, forget_table);
IDP_FUNCTION(idp_account_table, account_table);

}  // extern "C"
#pragma GCC visibility pop
