#include "extension/rewrite/group_decisions.h"

#include "extension/access/hidden.h"
#include "extension/access/refusal.h"
#include "extension/budget/account.h"
#include "extension/budget/amount.h"
#include "extension/pg/outer_joins.h"
#include "extension/domain/all_groups.h"
#include "extension/domain/grain.h"
#include "extension/domain/key_origin.h"
#include "extension/domain/ranges.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/groups.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/number_types.h"
#include "extension/pg/parameters.h"
#include "extension/pg/query_steps.h"
#include "extension/rewrite/private_call.h"
#include "extension/rewrite/unit_column.h"
#include "extension/access/plain_settings.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
}

namespace idp {

namespace {

// What a decision costs of delta, over m rows of a unit, grows as e to the power of m times its
// epsilon; and with that much hardly a group is decided otherwise.
constexpr double kMostEpsilon = 1;

struct Reads {
  List* tables;        // of Oid
  bool reads_outside;  // CTEs of queries further out
};

// What a query reads, and those in it.
bool add_tables(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, add_tables, context);
  auto* query = as<Query>(node);
  auto* reads = static_cast<Reads*>(context);
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind == RTE_RELATION) {
      reads->tables = list_append_unique_oid(reads->tables, entry->relid);
    }
    reads->reads_outside |= entry->rtekind == RTE_CTE && entry->ctelevelsup > 0;
  }
  return walk_queries(query, add_tables, context);
}

}  // namespace

List* accounts_of_level(const QueryLevel& level) {
  Reads reads{NIL, false};
  for (const QueryLevel* one = &level; one != nullptr; one = one->outer) {
    (void)add_tables(as<Node>(one->query), &reads);
    if (!reads.reads_outside) break;
  }
  return accounts_of_all(reads.tables);
}

namespace {

bool has_delta(const QueryLevel& level) {
  List* accounts = accounts_of_level(level);
  for (const auto* account : list<Account>(accounts)) {
    if (is_none(account->delta)) return false;
  }
  return accounts != NIL;
}

struct Search {
  const QueryLevel* level;
  bool has_columns;
};

// A column that does not come from a table which everybody may know.
bool find_hidden_column(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* search = static_cast<Search*>(context);
  if (!IsA(node, Var)) return walk_expression(node, find_hidden_column, context);
  search->has_columns = true;
  const TableColumn column = origin_of(*search->level, node);
  return !OidIsValid(column.table) || is_hidden(column.table);
}

// Whether groups may be those of a table which everybody may know, and whose rows a join keeps: the
// check finds out.
bool may_have_public_groups(const QueryLevel& level) {
  if (!has_outer_join(as<Node>(level.query->jointree))) return false;
  Search search{&level, false};
  auto* keys = as<Node>(grouped_expressions(level.query));
  return !find_hidden_column(keys, &search) && search.has_columns;
}

constexpr char kDecided[] =
    "Which values there are is not known to everybody, so dp_keep_group decides about each group, "
    "which is charged too.";

void warn_of_no_domain(const char* column) {
  ereport(
      NOTICE,
      (errmsg(
           "groups of few rows are left out, as no domain lists the values of \"%s\": group by a "
           "column that has one, or ask its owner for idp.set_domain",
           column),
       errdetail("%s", kDecided)));
}

void warn_of_measure(const char* column) {
  ereport(NOTICE, (errmsg("groups of few rows are left out, as the domain of \"%s\" has bounds and "
                          "no list of values: group by bins of it, such as floor(%s / 10)",
                          column, column),
                   errdetail("%s", kDecided)));
}

void warn_of_finer_groups(const KeyColumn& key) {
  const Grain& grain = key.keys.grain;
  const char* zone = grain.zone == nullptr ? "" : psprintf(" of zone %s", grain.zone);
  const char* in_zone = grain.zone == nullptr ? "" : psprintf(", '%s'", grain.zone);
  ereport(NOTICE,
          (errmsg("groups of few rows are left out, as \"%s\" is seen by %ss%s: group by "
                  "date_trunc('%s', %s%s) or what is coarser, or ask its owner for a finer grain",
                  key.name, grain.unit, zone, grain.unit, key.name, in_zone),
           errdetail("What is finer than that, or of another time zone, has no keys that everybody "
                     "may know, so dp_keep_group decides about each group.")));
}

// Whether keys follow parameters that have no values yet: the plan is made anew for these, and says
// then what it finds.
bool has_open_keys(const Query* query) {
  if (names_parameters(as<Node>(grouped_expressions(query)))) return true;
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    const bool is_open = entry->rtekind == RTE_SUBQUERY && entry->subquery != nullptr &&
                         names_parameters(as<Node>(entry->subquery->targetList));
    if (is_open) return true;
  }
  return false;
}

// Of columns with keys, where what the query makes of them, or of its rows, has none.
void warn_of_computed_groups(const char* columns) {
  const char* of_columns = *columns == '\0' ? "" : psprintf(" of %s", columns);
  ereport(NOTICE,
          (errmsg("groups of few rows are left out, as the values that GROUP BY makes%s are not "
                  "listed: group by each column itself, or by whole numbers such as the years "
                  "between two dates",
                  of_columns),
           errdetail("%s", kDecided)));
}

// Why the column has no keys.
void warn_of_column(const QueryLevel& level, Var* column) {
  const char* name = name_of_column(level.query, column);
  if (is_number(column->vartype) && range_of_number(level, as<Node>(column))) {
    warn_of_measure(name);
  } else {
    warn_of_no_domain(name);
  }
}

// Says why not all groups are shown: who gets an empty chart has paid for it.
void warn_of_decisions(const QueryLevel& level) {
  const Query* query = level.query;
  if (has_open_keys(query)) return;
  List* grouped = grouped_expressions(query);
  List* keys = NIL;  // of KeyColumn
  StringInfoData names;
  initStringInfo(&names);
  for (auto* column : list<Var>(pull_var_clause(as<Node>(grouped), PVC_RECURSE_PLACEHOLDERS))) {
    if (column->varlevelsup > 0 || column->varattno <= 0) continue;
    KeyColumn* key = key_of_column(query, column);
    if (key == nullptr) return warn_of_column(level, column);
    if (strstr(names.data, psprintf("\"%s\"", key->name)) == nullptr) {
      appendStringInfo(&names, "%s\"%s\"", names.len > 0 ? ", " : "", key->name);
    }
    if (key->keys.grain.unit != nullptr) keys = lappend(keys, key);
  }
  for (auto* key : list<KeyColumn>(keys)) {
    if (!sees_cells_alone(as<Node>(grouped), list_make1(key))) return warn_of_finer_groups(*key);
  }
  warn_of_computed_groups(names.data);
}

}  // namespace

namespace {

// Whether a group of each value has rows of one person alone: it tells whose they are, or which row
// of a hidden table. Groups of rows below others may be counted, as for the question whether a key
// is there twice.
bool is_of_one_person(const QueryLevel& level, const Node* key) {
  if (is_unit(level, key)) return true;
  const TableColumn origin = origin_of(level, key);
  return level.outer == nullptr && OidIsValid(origin.table) && is_hidden(origin.table) &&
         unique_key_on(origin.table, origin.number, nullptr) != nullptr;
}

// Hardly any would be kept: who gets an empty list of the best customers has paid for it.
void require_groups_of_several(const QueryLevel& level) {
  for (const auto* key : list<Node>(grouped_expressions(level.query))) {
    if (!is_of_one_person(level, key)) continue;
    const auto* origin = static_cast<const TableColumn*>(linitial(origins_of(level, key)));
    refuse_groups_of_units(origin->table, column_name(origin->table, origin->number));
  }
}

}  // namespace

bool needs_decision(const QueryLevel& level) {
  Query* query = level.query;
  if (query->groupClause == NIL || !has_delta(level)) return false;
  return !give_groups_of(query) && !may_have_public_groups(level);
}

void decide_about_groups(const QueryLevel& level, int64 most) {
  Query* query = level.query;
  const double epsilon =
      Min(epsilon_of_answers(), kMostEpsilon / static_cast<double>(Max(most, 1)));
  Aggref* decision = private_call(
      "dp_keep_group", list_make2(float_constant(epsilon), float_constant(delta_of_groups())));
  if (decision == nullptr) return;
  require_groups_of_several(level);
  warn_of_decisions(level);
  // first: what comes after is asked of the groups that are shown alone
  query->havingQual = make_and_qual(as<Node>(decision), query->havingQual);
}

}  // namespace idp
