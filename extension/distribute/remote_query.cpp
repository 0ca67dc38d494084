#include "extension/distribute/remote_query.h"

#include <algorithm>

#include "extension/distribute/sent_expressions.h"
#include "extension/pg/citus_catalog.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/number_types.h"
#include "extension/pg/parameters.h"
#include "extension/pg/plain_output.h"
#include "extension/plan/gate.h"
#include "extension/plan/key_rows.h"
#include "extension/types/types.h"

extern "C" {
#include "access/stratnum.h"
#include "access/sysattr.h"
#include "access/transam.h"
#include "catalog/heap.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// --- which columns ---

[[noreturn]] void refuse_system_column(Relation table, AttrNumber number) {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("column %s of table \"%s\", whose rows lie in other servers, is not known",
                         NameStr(SystemAttributeDefinition(number)->attname),
                         RelationGetRelationName(table)),
                  errdetail("Each server has its own."), errhint("Leave it out.")));
  pg_unreachable();
}

// Whether Citus moves its values in binary form, which no setting of a session changes.
bool travels_in_binary(Oid type) {
  const Oid base = getBaseType(type);
  HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(base));
  if (!HeapTupleIsValid(tuple)) return false;
  const auto* row = reinterpret_cast<Form_pg_type>(GETSTRUCT(tuple));
  const bool is_known = row->typtype == TYPTYPE_ENUM ||
                        (base < FirstNormalObjectId && row->typtype != TYPTYPE_COMPOSITE &&
                         row->typtype != TYPTYPE_PSEUDO);
  const bool has_form = OidIsValid(row->typsend) && OidIsValid(row->typreceive);
  ReleaseSysCache(tuple);
  return is_known && has_form;
}

// What a value travels by runs no function of others, and writes it in one way.
void require_plain_values(Relation table, const Form_pg_attribute column, bool is_distributed) {
  const bool is_checked =
      get_typtype(column->atttypid) == TYPTYPE_DOMAIN && DomainHasConstraints(column->atttypid);
  const bool is_text = is_distributed && !travels_in_binary(column->atttypid);
  if (!is_checked && !is_text) return;
  ereport(
      ERROR,
      (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
       errmsg("column %s of table \"%s\", whose rows lie in other servers, is of type %s, which "
              "private answers cannot read there",
              NameStr(column->attname), RelationGetRelationName(table),
              format_type_be(column->atttypid)),
       is_checked ? errdetail("Functions of others would see its values as they come.")
                  : errdetail("Its values travel as text, which depends on settings."),
       errhint("Leave it out.")));
}

List* columns_of(const Scan* scan, List* rest, Relation table) {
  Bitmapset* numbers = nullptr;
  pull_varattnos(as<Node>(scan->plan.targetlist), scan->scanrelid, &numbers);
  pull_varattnos(as<Node>(rest), scan->scanrelid, &numbers);
  const bool takes_row = bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, numbers);
  const bool is_distributed = is_citus_table(RelationGetRelid(table));
  List* columns = NIL;
  for (int i = FirstLowInvalidHeapAttributeNumber + 1; i < 0; ++i) {
    if (bms_is_member(i - FirstLowInvalidHeapAttributeNumber, numbers)) {
      refuse_system_column(table, static_cast<AttrNumber>(i));
    }
  }
  for (int i = 1; i <= RelationGetNumberOfAttributes(table); ++i) {
    if (TupleDescAttr(RelationGetDescr(table), i - 1)->attisdropped) continue;
    if (takes_row || bms_is_member(i - FirstLowInvalidHeapAttributeNumber, numbers)) {
      columns = lappend_int(columns, i);
      require_plain_values(table, TupleDescAttr(RelationGetDescr(table), i - 1), is_distributed);
    }
  }
  return columns;
}

// Equal values are one and the same, so that one may stand for all.
bool can_be_counted(Relation table, const List* columns) {
  for (const int number : ints(columns)) {
    const auto* column = TupleDescAttr(RelationGetDescr(table), number - 1);
    if (!has_exact_equality(column->atttypid, column->atttypmod, column->attcollation))
      return false;
  }
  return true;
}

// --- which conditions ---

// The values of the statement's parameters in their place.
Node* with_values(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  const auto* parameter = maybe<Param>(node);
  if (parameter != nullptr && parameter->paramkind == PARAM_EXTERN) {
    Node* value = given_value(parameter, static_cast<ParamListInfo>(context));
    return value == nullptr ? node : value;
  }
  return map_expression(node, with_values, context);
}

// That a row has a key of a domain by which rows are put together: few have none.
bool is_of_keys(const Node* condition) {
  const auto* test = maybe<ScalarArrayOpExpr>(condition);
  return test != nullptr && test->location == kKeyCondition;
}

// Divides the conditions into those that are sent and the others.
void divide(const Scan* scan, ParamListInfo parameters, List*& sent, List*& rest) {
  for (auto* condition : list<Node>(conditions_besides_gates(&scan->plan))) {
    Node* filled = with_values(static_cast<Node*>(copyObjectImpl(condition)), parameters);
    if (is_of_keys(condition) || !can_be_sent(filled)) {
      rest = lappend(rest, condition);
      continue;
    }
    ChangeVarNodes(filled, static_cast<int>(scan->scanrelid), 1, 0);
    sent = lappend(sent, filled);
  }
}

// --- the text ---

const char* name_of(Relation table, int column) {
  return quote_identifier(NameStr(TupleDescAttr(RelationGetDescr(table), column - 1)->attname));
}

void append_names(StringInfo text, Relation table, const List* columns) {
  const char* separator = "";
  for (const int number : ints(columns)) {
    appendStringInfo(text, "%s%s", separator, name_of(table, number));
    separator = ", ";
  }
}

char* from_of(Relation table) {
  const bool has_heirs = table->rd_rel->relkind == RELKIND_FOREIGN_TABLE;
  return psprintf("%s%s", has_heirs ? "ONLY " : "",
                  quote_qualified_identifier(get_namespace_name(RelationGetNamespace(table)),
                                             RelationGetRelationName(table)));
}

// alias: what its columns are told apart by; null: nothing else is read.
char* text_of(Node* expression, Relation table, const char* alias) {
  List* names = deparse_context_for(alias == nullptr ? RelationGetRelationName(table) : alias,
                                    RelationGetRelid(table));
  return deparse_expression(expression, names, alias != nullptr, false);
}

char* condition_of(Relation table, List* sent, const char* alias = nullptr) {
  return sent == NIL ? nullptr : text_of(as<Node>(make_ands_explicit(sent)), table, alias);
}

// --- sums ---

List* columns_of_sums(const List* sums) {
  List* columns = NIL;
  for (const auto* sum : list<RemoteSum>(sums)) {
    columns = list_append_unique_int(columns, sum->column);
  }
  return columns;
}

// The least of the bounds below, if the type has it.
Datum stand_in(int column, const List* sums) {
  const RemoteSum* least = nullptr;
  for (const auto* sum : list<RemoteSum>(sums)) {
    if (sum->column != column) continue;
    if (least == nullptr || sum->lower < least->lower) least = sum;
  }
  const auto first = static_cast<Key64>(least->grid.min_units());
  const auto last = static_cast<Key64>(least->grid.max_units());
  return datum_of_key(least->grid, std::clamp(least->lower, first, last));
}

List* summed_values(Relation table, const List* columns, const List* sums) {
  List* all = NIL;
  for (const int number : ints(columns)) {
    const auto* row = TupleDescAttr(RelationGetDescr(table), number - 1);
    auto* values = static_cast<SummedValues*>(palloc0(sizeof(SummedValues)));
    values->column = number;
    const bool may_have_none = !row->attnotnull || row->atttypid == NUMERICOID;
    values->is_counted_by_sums = may_have_none;
    for (const auto* sum : list<RemoteSum>(sums)) {
      if (sum->column != number) continue;
      values->has_ends |= sum->has_ends;
      values->is_counted_by_sums &= can_count(*sum);
    }
    values->is_counted = may_have_none && !values->is_counted_by_sums;
    if (!values->has_ends) values->stand_in = stand_in(number, sums);
    all = lappend(all, values);
  }
  return all;
}

void append_sums(StringInfo text, Relation table, const List* summed, const List* sums) {
  const auto append = [&](const char* aggregate, int column) {
    const Oid type = TupleDescAttr(RelationGetDescr(table), column - 1)->atttypid;
    const char* name = name_of(table, column);
    appendStringInfo(text, ", pg_catalog.%s(%s)", aggregate, name);
    if (type == NUMERICOID) appendStringInfo(text, " FILTER (WHERE %s <> 'NaN'::numeric)", name);
  };
  const auto tells_count = [&](const RemoteSum* sum) {
    for (const auto* values : list<SummedValues>(summed)) {
      if (values->column == sum->column) return values->is_counted_by_sums;
    }
    return false;
  };
  for (const auto* values : list<SummedValues>(summed)) {
    if (values->is_counted) append("count", values->column);
    if (!values->has_ends) continue;
    append("min", values->column);
    append("max", values->column);
  }
  for (const auto* sum : list<RemoteSum>(sums)) {
    appendStringInfo(text, ", %s", bounded_sum(table, *sum, tells_count(sum)));
  }
}

}  // namespace

RemoteQuery remote_query(const Scan* scan, Relation table, ParamListInfo parameters, List* sums) {
  List* sent = NIL;
  List* rest = NIL;
  divide(scan, parameters, sent, rest);
  List* summed_columns = columns_of_sums(sums);
  List* summed = summed_values(table, summed_columns, sums);
  List* columns = list_difference_int(columns_of(scan, rest, table), summed_columns);
  const bool is_same_again = !contain_volatile_functions(as<Node>(rest));
  const bool has_counts = is_same_again && can_be_counted(table, columns);
  const char* separator = columns != NIL && has_counts ? ", " : "";
  PlainOutput plain;
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfoString(&text, "SELECT ");
  append_names(&text, table, columns);
  if (has_counts) appendStringInfo(&text, "%spg_catalog.count(*)", separator);
  append_sums(&text, table, summed, sums);
  char* from = from_of(table);
  char* condition = condition_of(table, sent);
  appendStringInfo(&text, " FROM %s", from);
  if (condition != nullptr) appendStringInfo(&text, " WHERE %s", condition);
  if (has_counts && columns != NIL) {
    appendStringInfoString(&text, " GROUP BY ");
    append_names(&text, table, columns);
  }
  plain.end();
  return {text.data, from, condition, columns, has_counts, summed, rest};
}

List* conditions_left(const Scan* scan, ParamListInfo parameters) {
  List* sent = NIL;
  List* rest = NIL;
  divide(scan, parameters, sent, rest);
  return rest;
}

// The type of a column of Citus is that of its shards. What a foreign table has is what it says.
bool can_be_summed(const Scan* scan, Relation table, ParamListInfo parameters, int column) {
  if (column <= 0 || !is_citus_table(RelationGetRelid(table))) return false;
  const auto* row = TupleDescAttr(RelationGetDescr(table), column - 1);
  const bool is_known = is_whole_number(row->atttypid) ||
                        (row->atttypid == NUMERICOID &&
                         has_exact_equality(row->atttypid, row->atttypmod, row->attcollation));
  List* rest = conditions_left(scan, parameters);
  Bitmapset* named = nullptr;
  pull_varattnos(as<Node>(rest), scan->scanrelid, &named);
  const bool takes_row = bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, named);
  if (!is_known || takes_row || contain_volatile_functions(as<Node>(rest))) return false;
  if (bms_is_member(column - FirstLowInvalidHeapAttributeNumber, named)) return false;
  List* others = list_difference_int(columns_of(scan, rest, table), list_make1_int(column));
  return can_be_counted(table, others);
}

// --- groups ---

namespace {

// Of several tables by this name.
const char* alias_of(int part) { return psprintf("t%d", part + 1); }

struct Parts {
  const RemotePart* parts;
  int count;

  const char* name(const RemoteColumn& column) const {
    const char* alone = name_of(parts[column.part].table, column.column);
    return count == 1 ? alone : psprintf("%s.%s", alias_of(column.part), alone);
  }
  const char* value(const RemoteCall& call) const {
    if (call.value == nullptr) return "*";
    return text_of(call.value, parts[call.part].table, count == 1 ? nullptr : alias_of(call.part));
  }
};

// What is behind WHERE; null if there is nothing.
const char* condition_of(const Parts& all, ParamListInfo parameters, const List* joins) {
  StringInfoData text;
  initStringInfo(&text);
  const auto append = [&](const char* condition) {
    if (condition == nullptr) return;
    appendStringInfo(&text, "%s%s", text.len == 0 ? "" : " AND ", condition);
  };
  for (const auto* join : list<RemoteEquality>(joins)) {
    append(psprintf("%s = %s", all.name(join->left), all.name(join->right)));
  }
  for (int i = 0; i < all.count; ++i) {
    Relation table = all.parts[i].table;
    List* sent = NIL;
    List* rest = NIL;
    divide(all.parts[i].scan, parameters, sent, rest);
    (void)columns_of(all.parts[i].scan, rest, table);
    if (all.count == 1) {
      append(condition_of(table, sent));
    } else if (sent != NIL) {
      append(psprintf("(%s)", condition_of(table, sent, alias_of(i))));
    }
  }
  return text.len == 0 ? nullptr : text.data;
}

void append_keys(StringInfo text, const Parts& all, const List* keys) {
  const char* separator = "";
  for (const auto* key : list<RemoteColumn>(keys)) {
    appendStringInfo(text, "%s%s", separator, all.name(*key));
    separator = ", ";
  }
}

}  // namespace

char* remote_groups(const RemotePart* parts, int count, ParamListInfo parameters,
                    const RemoteGroups& groups) {
  const Parts all{parts, count};
  PlainOutput plain;
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfoString(&text, "SELECT ");
  append_keys(&text, all, groups.keys);
  for (const auto* call : list<RemoteCall>(groups.calls)) {
    appendStringInfo(&text, ", pg_catalog.%s(%s)", get_func_name(call->function), all.value(*call));
  }
  const char* separator = " FROM ";
  for (int i = 0; i < count; ++i) {
    appendStringInfo(&text, "%s%s", separator, from_of(parts[i].table));
    if (count > 1) appendStringInfo(&text, " %s", alias_of(i));
    separator = ", ";
  }
  const char* condition = condition_of(all, parameters, groups.joins);
  if (condition != nullptr) appendStringInfo(&text, " WHERE %s", condition);
  appendStringInfoString(&text, " GROUP BY ");
  append_keys(&text, all, groups.keys);
  plain.end();
  return text.data;
}

namespace {

// A condition that is left may name keys alone, and its value is the same for each row of a group.
// Which sums there are follows from types, and those of a foreign table are what it says.
bool can_be_grouped(const RemotePart& part, int number, ParamListInfo parameters,
                    const RemoteGroups& groups) {
  if (!is_citus_table(RelationGetRelid(part.table))) return false;
  List* rest = conditions_left(part.scan, parameters);
  if (contain_volatile_functions(as<Node>(rest)) || contain_subplans(as<Node>(rest))) return false;
  Bitmapset* named = nullptr;
  pull_varattnos(as<Node>(rest), part.scan->scanrelid, &named);
  Bitmapset* keys = nullptr;
  List* columns = NIL;
  for (const auto* key : list<RemoteColumn>(groups.keys)) {
    if (key->part != number) continue;
    keys = bms_add_member(keys, key->column - FirstLowInvalidHeapAttributeNumber);
    columns = lappend_int(columns, key->column);
  }
  for (const auto* call : list<RemoteCall>(groups.calls)) {
    if (call->value == nullptr || call->part != number) continue;
    for (const auto* taken : list<Var>(pull_var_clause(call->value, 0))) {
      columns = list_append_unique_int(columns, taken->varattno);
    }
  }
  return bms_is_subset(named, keys) && can_be_counted(part.table, columns);
}

}  // namespace

bool can_be_grouped(const RemotePart* parts, int count, ParamListInfo parameters,
                    const RemoteGroups& groups) {
  for (int i = 0; i < count; ++i) {
    if (!can_be_grouped(parts[i], i, parameters, groups)) return false;
  }
  return true;
}

}  // namespace idp
