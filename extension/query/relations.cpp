// What stands in FROM: tables, subqueries, CTEs, and rows of no table.
#include "extension/query/walk.h"

#include "extension/pg/catalog_lookup.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parents.h"
#include "extension/plan/input.h"
#include "extension/plan/key_rows.h"

extern "C" {
#include "catalog/pg_class.h"
#include "nodes/pathnodes.h"
}

namespace idp {

namespace {

constexpr Problem kAnyNumber = {
    "rows of which one unit may have any number",
    "Aggregate them by unit first, in a subquery with GROUP BY on its key, or bound them: "
    "WHERE r <= … over row_number() OVER (PARTITION BY key ORDER BY …) AS r. "
    "Sums and counts of them can be clipped: dp_sum over idp.clip(…, bound) OVER (PARTITION BY "
    "key). Plain aggregates over hidden rows bound them by the max_rows of links, where joins and "
    "groups keep the key of the unit.",
    "group by its key first, or bound them by row_number()"};
constexpr Problem kSample = {"TABLESAMPLE",
                             "Say with WHERE, over columns of the row itself, which rows count.",
                             "choose rows with WHERE"};
constexpr Problem kYoungerKey = {
    "a table with a unique index that is younger than what the transaction sees",
    "Ask in a new transaction.", "ask in a new transaction"};
constexpr Problem kUnknownRows = {
    "rows of an unknown kind",
    "Compute the private answers of the table by itself, in a subquery, and combine the answers.",
    "apply it to the table"};

// Partitions may have their columns in another order.
AttrNumber column_in(Oid from, AttrNumber column, Oid to) {
  if (from == to) return column;
  const char* name = column_name(from, column);
  return name == nullptr ? InvalidAttrNumber : get_attnum(to, name);
}

bool is_exact(Oid relation, AttrNumber column) {
  Oid type = InvalidOid;
  int32 typmod = -1;
  Oid collation = InvalidOid;
  get_atttypetypmodcoll(relation, column, &type, &typmod, &collation);
  if (!OidIsValid(type)) return false;  // dropped
  type = getBaseTypeAndTypmod(type, &typmod);
  return has_exact_equality(type, typmod, collation);
}

UniqueSet* set_of(const UniqueKey& key, Oid whole, Oid relation, const ColumnFacts* facts) {
  auto* set = static_cast<UniqueSet*>(palloc0(sizeof(UniqueSet)));
  set->without_nulls = key.without_nulls;
  set->index = key.index;
  for (int i = 0; i < key.count; ++i) {
    const KeyPart& part = key.columns[i];
    const AttrNumber number = column_in(whole, part.column, relation);
    if (number <= 0) return nullptr;
    auto* column = static_cast<UniqueSet::Column*>(palloc(sizeof(UniqueSet::Column)));
    *column = {facts[number - 1].id, part.family, i + 1};
    set->columns = lappend(set->columns, column);
  }
  return set;
}

ColumnFacts* new_columns(int count) {
  return static_cast<ColumnFacts*>(palloc0(sizeof(ColumnFacts) * static_cast<Size>(count + 1)));
}

const Node* without_place_holder(const Node* node) {
  while (IsA(node, PlaceHolderVar)) {
    node = reinterpret_cast<const Node*>(reinterpret_cast<const PlaceHolderVar*>(node)->phexpr);
  }
  return node;
}

// Whether the rows of a member stand for keys alone (plan/key_rows.h).
bool gives_key_rows(const Level& level, const Level::Member& member) {
  for (const auto* column : list<Node>(member.columns)) {
    if (column != nullptr && is_key_marker(without_place_holder(column))) return true;
  }
  const Level below = level.below(member.relation);
  if (!below.is_known()) return false;
  for (const auto* target : list<TargetEntry>(below.query()->targetList)) {
    if (is_key_marker(as<Node>(target->expr))) return true;
  }
  return false;
}

}  // namespace

// The rows of one table, without its parts, as the account says.
Rows LevelWalk::rows_of_table(const RangeTblEntry* entry) {
  const Oid relation = entry->relid;
  if (entry->tablesample != nullptr) return rows_with_problem(&kSample);
  switch (get_rel_relkind(relation)) {
    case RELKIND_RELATION:
    case RELKIND_PARTITIONED_TABLE:
    case RELKIND_MATVIEW:
    case RELKIND_FOREIGN_TABLE:  // of which no key is known, nor that a column is never NULL
      break;
    default:
      return rows_with_problem(&kUnknownRows);
  }
  Snapshot snapshot = facts_.state()->es_snapshot;
  if (has_younger_keys(relation, snapshot)) return rows_with_problem(&kYoungerKey);
  const UnitTable* table = unit_table(facts_.unit(), relation);
  if (table != nullptr && table->problem != nullptr) return rows_with_problem(table->problem);
  const Oid whole = whole_of(relation);
  Rows rows;
  rows.is_fixed = table == nullptr;
  if (table != nullptr) rows.most = table->most;
  if (!rows.most.is_bounded()) rows.unbounded = &kAnyNumber;
  rows.slices = list_make1_oid(relation);
  rows.whole = whole;
  rows.is_by_row = table != nullptr && !table->is_declared;
  const int scan = facts_.new_id();
  rows.count = column_count(relation);
  rows.columns = new_columns(rows.count);
  for (int i = 0; i < rows.count; ++i) {
    ColumnFacts& facts = rows.columns[i];
    facts.id = facts_.new_id();
    facts.scan = scan;
    facts.attribute = column_in(relation, static_cast<AttrNumber>(i + 1), whole);
    facts.has_one_form = is_exact(relation, static_cast<AttrNumber>(i + 1));
    if (table == nullptr) continue;
    facts.key = facts.attribute > 0 ? key_in(*table, facts.attribute) : nullptr;
    facts.of_unit =
        table->is_unit() || (facts.key != nullptr && facts.key->is_unit && facts.has_one_form);
  }
  if (!was_part_of(relation, whole, snapshot)) return rows;
  for (const auto* key : list<UniqueKey>(unique_keys_of(whole, snapshot))) {
    UniqueSet* set = set_of(*key, whole, relation, rows.columns);
    if (set == nullptr) continue;
    if (key->without_nulls) facts_.add_key(scan, key);
    rows.unique = lappend(rows.unique, set);
  }
  return rows;
}

Rows LevelWalk::unknown_columns(int count) {
  Rows rows;
  rows.count = count;
  rows.columns = new_columns(count);
  for (int i = 0; i < count; ++i) rows.columns[i].id = facts_.new_id();
  return rows;
}

// Of one row that holds nothing.
Rows LevelWalk::one_row() {
  Rows rows;
  auto* set = static_cast<UniqueSet*>(palloc0(sizeof(UniqueSet)));
  set->given = given_;
  rows.unique = list_make1(set);
  return rows;
}

// Rows of the values of expressions, maybe of columns beside them: of their columns nothing is
// known. So they must show no form of what they are made of.
Rows LevelWalk::rows_of_values(int relation) {
  const RangeTblEntry* entry = level_.entry(relation);
  Rows rows = unknown_columns(list_length(entry->eref->colnames));
  const Node* parts = as<Node>(made_of(entry));
  const Inputs over = inputs(beside_);
  rows.problem = problem_of(parts, over);
  if (rows.problem == nullptr && form_of(facts_, parts, over) != Form::kOwn) {
    rows.problem = &kFormShown;
  }
  return rows;
}

// Made once, when some part of the query asks for it: the same however often it is read. One that
// is given values of rows beside it is made anew for each.
Rows LevelWalk::rows_of_cte(int relation) {
  const Level below = level_.below(relation);
  if (!below.is_known()) return rows_with_problem(&kUnknownRows);
  facts_.enter_cte();
  Rows rows = LevelWalk(facts_, below).rows();
  facts_.leave_cte();
  rows.is_settled |= !bms_overlap(parameters_in(below), facts_.all_bound());
  return rows;
}

// Whether a member is a subquery whose WHERE is false, so that UNION ALL has no row of it. An
// aggregate, HAVING, or an empty grouping set, has a row all the same.
bool gives_no_rows(const Level& level, const Level::Member& member) {
  const Level below = level.below(member.relation);
  if (level.entry(member.relation)->rtekind != RTE_SUBQUERY || !below.is_known()) return false;
  const Query* query = below.query();
  if (query->hasAggs || query->havingQual != nullptr || query->groupingSets != NIL ||
      query->setOperations != nullptr) {
    return false;
  }
  return are_never(conditions_in(query->jointree->quals));
}

Rows LevelWalk::rows_of_members(int relation) {
  List* members = NIL;
  bool has_constants = false;
  int left_out = 0;
  const List* types = NIL;
  for (int i = 0; i < level_.members(relation); ++i) {
    const Level::Member member = level_.member(relation, i);
    if (gives_key_rows(level_, member)) {
      ++left_out;
      continue;
    }
    const bool is_last = i + 1 == level_.members(relation);
    if (gives_no_rows(level_, member) && !(is_last && members == NIL)) continue;
    has_constants |= level_.entry(member.relation)->rtekind == RTE_RESULT;
    const Rows below = part_of_relation(member.relation).rows;
    auto* rows = static_cast<Rows*>(palloc(sizeof(Rows)));
    *rows = below;
    if (below.problem == nullptr) {
      const Rows columns = projected(facts_, member.columns, inputs(below));
      for (const auto* column : list<Node>(member.columns)) {
        if (column == nullptr || rows->problem != nullptr) continue;
        rows->problem = problem_of(column, inputs(below));
      }
      rows->columns = columns.columns;
      rows->count = columns.count;
      set_columns_of_one_row(rows, !bms_is_empty(given_));
    }
    members = lappend(members, rows);
    if (types == NIL) types = member.columns;
  }
  if (list_length(members) == 1 && left_out == 0) return *static_cast<Rows*>(linitial(members));
  Rows columns;
  columns.count = list_length(types);
  columns.columns = new_columns(columns.count);
  ListCell* cell;
  foreach (cell, types) {
    ColumnFacts& facts = columns.columns[foreach_current_index(cell)];
    facts.id = facts_.new_id();
    const auto* column = static_cast<const Node*>(lfirst(cell));
    if (column == nullptr) continue;
    int32 typmod = -1;  // that of each member may be another one
    const Oid type = getBaseTypeAndTypmod(exprType(column), &typmod);
    facts.has_one_form = has_exact_equality(type, typmod, exprCollation(column));
  }
  return rows_of_all(members, columns, has_constants);
}

Rows LevelWalk::rows_of_relation(int relation) {
  check_stack_depth();
  const RangeTblEntry* entry = level_.entry(relation);
  const bool has_members = entry->inh && level_.members(relation) > 0;
  switch (entry->rtekind) {
    case RTE_RELATION:
      if (has_members && entry->tablesample == nullptr) return rows_of_members(relation);
      return rows_of_table(entry);
    case RTE_SUBQUERY: {
      if (has_members) return rows_of_members(relation);
      const Level below = level_.below(relation);
      if (!below.is_known()) return rows_with_problem(&kUnknownRows);
      return LevelWalk(facts_, below).rows();
    }
    case RTE_CTE:
      return rows_of_cte(relation);
    case RTE_VALUES:
    case RTE_FUNCTION:
      return rows_of_values(relation);
    case RTE_RESULT:
      return one_row();
    default:
      return rows_with_problem(&kUnknownRows);
  }
}

// The same in columns of the level.
Rows LevelWalk::in_level(int relation, const Rows& own) {
  if (own.problem != nullptr) return own;
  Rows rows = own;
  rows.count = layout_.width();
  rows.columns = new_columns(rows.count);
  const int count = Min(own.count, layout_.count[relation]);
  for (int i = 0; i < count; ++i) rows.columns[layout_.first[relation] + i] = own.columns[i];
  return rows;
}

Rows projected(UnitFacts& facts, const List* expressions, const Inputs& over) {
  Rows rows;
  rows.count = list_length(expressions);
  rows.columns = new_columns(rows.count);
  ListCell* cell;
  foreach (cell, expressions) {
    const auto* expression = static_cast<const Node*>(lfirst(cell));
    if (expression == nullptr) continue;
    rows.columns[foreach_current_index(cell)] = facts_of(facts, expression, over);
  }
  return rows;
}

void set_columns_of_one_row(Rows* rows, bool is_given) {
  if (rows->problem != nullptr || rows->is_fixed || rows->has_absent || is_given) return;
  if (!(rows->most <= Multiplicity::of(1))) return;
  for (int i = 0; i < rows->count; ++i) rows->columns[i].of_unit = true;
}

}  // namespace idp
