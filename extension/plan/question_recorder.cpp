// The planner's side of question.h.
#include "extension/call/call.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/plain_output.h"
#include "extension/plan/question.h"
#include "extension/plan/recorded_question.h"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "nodes/makefuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/tlist.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

template <class T>
Node* node_of(T* object) {
  return reinterpret_cast<Node*>(object);
}

// --- one level of a query ---

struct Level {
  Query* query;
  PlannerInfo* root;  // that plans it; null for a query that is planned later, from a copy
  const Level* outer;
  const SubPlan* plan;      // as which it is planned within the next one, if it is; or null
  int* subquery_count;      // of the whole question
  List* given = NIL;        // of String: names of tables here and further out, as often as given
  List* tables = NIL;       // of RangeTblEntry
  List* table_names = NIL;  // of String, empty for those that are not used
  List* items = NIL;
  List* subqueries = NIL;
};

void write(Level& level, const char* text) {
  level.items = lappend(level.items, makeString(pstrdup(text)));
}

// How what is outside refers to the columns of a query within.
enum class Columns { kByName, kByPlace };

List* describe(Query* query, Columns columns, PlannerInfo* root, const SubPlan* plan,
               const Level* outer);

// The range table, without anything that is told elsewhere.
void begin(Level& level) {
  if (level.outer != nullptr) level.given = list_copy(level.outer->given);
  ListCell* cell;
  foreach (cell, level.query->rtable) {
    const auto* given = static_cast<RangeTblEntry*>(lfirst(cell));
    auto* entry = makeNode(RangeTblEntry);
    List* columns = NIL;
    if (given->rtekind == RTE_RELATION) {
      entry->rtekind = RTE_RELATION;
      entry->relid = given->relid;
      entry->relkind = given->relkind;
      entry->rellockmode = AccessShareLock;
    } else {
      entry->rtekind = RTE_RESULT;
      for (int i = 1; i <= list_length(given->eref->colnames); ++i) {
        columns = lappend(columns, makeString(psprintf("c%d", i)));
      }
    }
    entry->eref = makeAlias("", columns);
    level.tables = lappend(level.tables, entry);
    level.table_names = lappend(level.table_names, makeString(pstrdup("")));
  }
}

// Gives a table of the level its name: that of the relation, and a number if it is not the first.
const char* give_name(Level& level, Index number, const char* name) {
  int before = 0;
  ListCell* cell;
  foreach (cell, level.given) before += strcmp(strVal(lfirst(cell)), name) == 0;
  level.given = lappend(level.given, makeString(pstrdup(name)));
  char* unique = before ? psprintf("%s_%d", name, before) : pstrdup(name);
  lfirst(list_nth_cell(level.table_names, static_cast<int>(number) - 1)) = makeString(unique);
  return unique;
}

// Whether a query's columns are no part of what it asks for: rows of one table, or some of them.
bool is_selection(const Query* query) {
  return query->commandType == CMD_SELECT && query->setOperations == nullptr &&
         (query->distinctClause == NIL || query->hasDistinctOn) && query->groupClause == NIL &&
         !query->hasAggs && query->havingQual == nullptr && !query->hasTargetSRFs &&
         list_length(query->jointree->fromlist) == 1 &&
         IsA(linitial(query->jointree->fromlist), RangeTblRef);
}

// The column of a table that such a query puts out as it is, or null.
const char* passed_column(const Query* query, const TargetEntry* target) {
  if (!is_selection(query) || !IsA(target->expr, Var)) return nullptr;
  const auto* var = reinterpret_cast<Var*>(target->expr);
  if (var->varlevelsup > 0 || var->varattno <= 0) return nullptr;
  const auto* entry = rt_fetch(var->varno, query->rtable);
  if (entry->rtekind == RTE_SUBQUERY) {
    const auto* within = get_tle_by_resno(entry->subquery->targetList, var->varattno);
    return within ? passed_column(entry->subquery, within) : nullptr;
  }
  return entry->rtekind == RTE_RELATION ? get_attname(entry->relid, var->varattno, true) : nullptr;
}

// Gives the columns of a query within the names of what they are.
void name_columns(Level& level, Index number, const Query* query) {
  auto* entry = static_cast<RangeTblEntry*>(list_nth(level.tables, static_cast<int>(number) - 1));
  ListCell* name;
  ListCell* cell;
  forboth(name, entry->eref->colnames, cell, query->targetList) {
    const char* column = passed_column(query, static_cast<TargetEntry*>(lfirst(cell)));
    if (column != nullptr) lfirst(name) = makeString(pstrdup(column));
  }
}

// --- expressions ---

const SubPlan* find_initial_plan(const PlannerInfo* root, int parameter) {
  for (; root != nullptr; root = root->parent_root) {
    ListCell* cell;
    foreach (cell, root->init_plans) {
      const auto* plan = static_cast<SubPlan*>(lfirst(cell));
      if (list_member_int(plan->setParam, parameter)) return plan;
    }
  }
  return nullptr;
}

Node* portable(Node* node, void* context);

// What an outer query passes to the one it contains, in terms of the outer query's columns; null if
// the parameter is none of these.
Node* passed_in(const Level& level, int parameter) {
  int levels = 1;
  for (const Level* at = &level; at != nullptr; at = at->outer, ++levels) {
    ListCell* number;
    ListCell* value;
    forboth(number, at->plan ? at->plan->parParam : NIL, value, at->plan ? at->plan->args : NIL) {
      if (lfirst_int(number) != parameter) continue;
      auto* copy = static_cast<Node*>(copyObjectImpl(lfirst(value)));
      IncrementVarSublevelsUp(copy, levels, 0);
      return copy;
    }
  }
  return nullptr;
}

Node* make_number(int number) { return node_of(makeInteger(number)); }

const char* words_of(SubLinkType type) {
  switch (type) {
    case EXISTS_SUBLINK:
      return "EXISTS ";
    case ALL_SUBLINK:
      return "ALL ";
    case ANY_SUBLINK:
      return "ANY ";
    case ARRAY_SUBLINK:
      return "ARRAY ";
    default:
      return "";
  }
}

// Leaves a parameter where an expression has a subquery.
Node* put_aside(Level& level, SubLinkType type, Node* test, Query* query, PlannerInfo* root,
                const SubPlan* plan, Node* expression) {
  const int number = kFirstSubquery + (*level.subquery_count)++;
  level.subqueries =
      lappend(level.subqueries, list_make4(make_number(number), makeString(pstrdup(words_of(type))),
                                           portable(test, &level),
                                           describe(query, Columns::kByPlace, root, plan, &level)));
  auto* parameter = makeNode(Param);
  parameter->paramkind = PARAM_EXEC;
  parameter->paramid = number;
  parameter->paramtype = exprType(expression);
  parameter->paramtypmod = exprTypmod(expression);
  parameter->paramcollid = exprCollation(expression);
  parameter->location = -1;
  return node_of(parameter);
}

// The columns that a subquery puts out have the numbers of parameters in its plan, whichever were
// free.
Node* number_outputs(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Param)) return map_expression(node, number_outputs, context);
  auto* param = static_cast<Param*>(copyObjectImpl(node));
  ListCell* cell;
  foreach (cell, static_cast<const SubPlan*>(context)->paramIds) {
    if (param->paramkind != PARAM_EXEC || lfirst_int(cell) != param->paramid) continue;
    param->paramkind = PARAM_SUBLINK;
    param->paramid = foreach_current_index(cell) + 1;
    break;
  }
  return node_of(param);
}

Node* put_plan_aside(Level& level, const SubPlan* plan, Node* expression) {
  auto* root = static_cast<PlannerInfo*>(list_nth(level.root->glob->subroots, plan->plan_id - 1));
  Node* test = number_outputs(plan->testexpr, const_cast<SubPlan*>(plan));
  return put_aside(level, plan->subLinkType, test, root->parse, root, plan, expression);
}

// An expression without what belongs to planning alone.
Node* portable(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  auto& level = *static_cast<Level*>(context);
  switch (nodeTag(node)) {
    case T_PlaceHolderVar:
      return portable(node_of(reinterpret_cast<PlaceHolderVar*>(node)->phexpr), context);
    case T_Var: {
      auto* var = static_cast<Var*>(copyObjectImpl(node));
      var->varnosyn = 0;
      var->varattnosyn = 0;
      return node_of(var);
    }
    case T_SubLink: {
      const auto* link = reinterpret_cast<SubLink*>(node);
      return put_aside(level, link->subLinkType, link->testexpr,
                       reinterpret_cast<Query*>(link->subselect), nullptr, nullptr, node);
    }
    case T_SubPlan:
      return put_plan_aside(level, reinterpret_cast<SubPlan*>(node), node);
    case T_AlternativeSubPlan:
      return portable(
          static_cast<Node*>(linitial(reinterpret_cast<AlternativeSubPlan*>(node)->subplans)),
          context);
    case T_Param: {
      const auto* parameter = reinterpret_cast<Param*>(node);
      if (parameter->paramkind != PARAM_EXEC) break;
      Node* passed = passed_in(level, parameter->paramid);
      if (passed != nullptr) return portable(passed, context);
      const SubPlan* plan = find_initial_plan(level.root, parameter->paramid);
      if (plan != nullptr) return put_plan_aside(level, plan, node);
      break;
    }
    default:
      break;
  }
  return map_expression(node, portable, context);
}

void write_expression(Level& level, Node* expression) {
  level.items = lappend(level.items, portable(expression, &level));
}

void write_expressions(Level& level, const char* before, List* expressions) {
  ListCell* cell;
  foreach (cell, expressions) {
    write(level, foreach_current_index(cell) ? ", " : before);
    if (lfirst(cell) != nullptr) write_expression(level, static_cast<Node*>(lfirst(cell)));
  }
}

// Conditions as one expression; null if there are none. They may be lists of lists.
void collect_conditions(Node* conditions, Level& level, List** collected) {
  if (conditions == nullptr) return;
  if (!IsA(conditions, List)) {
    *collected = lappend(*collected, portable(conditions, &level));
    return;
  }
  ListCell* cell;
  foreach (cell, reinterpret_cast<List*>(conditions)) {
    collect_conditions(static_cast<Node*>(lfirst(cell)), level, collected);
  }
}

Node* conjunction(List* conditions) {
  return conditions == NIL ? nullptr : node_of(makeBoolExpr(AND_EXPR, conditions, -1));
}

void write_conditions(Level& level, const char* before, List* conditions) {
  if (conditions == NIL) return;
  write(level, before);
  level.items = lappend(level.items, conjunction(conditions));
}

// --- FROM ---

const Query* query_above(const Level& level, Index levels) {
  const Level* at = &level;
  while (levels > 0 && at->outer != nullptr) {
    at = at->outer;
    --levels;
  }
  const PlannerInfo* root = at->root;
  while (levels > 0 && root != nullptr) {
    root = root->parent_root;
    --levels;
  }
  return levels == 0 && root != nullptr ? root->parse : levels == 0 ? at->query : nullptr;
}

void write_cte(Level& level, Index number, const RangeTblEntry* entry) {
  const Query* query = query_above(level, entry->ctelevelsup);
  ListCell* cell;
  foreach (cell, query ? query->cteList : NIL) {
    const auto* cte = static_cast<CommonTableExpr*>(lfirst(cell));
    if (strcmp(cte->ctename, entry->ctename) != 0) continue;
    auto* body = reinterpret_cast<Query*>(cte->ctequery);
    level.items = lappend(level.items, describe(body, Columns::kByName, nullptr, nullptr, &level));
    name_columns(level, number, body);
  }
}

void write_relation(Level& level, Index number, const RangeTblEntry* entry) {
  const char* relation = get_rel_name(entry->relid);
  const bool temporary = get_rel_persistence(entry->relid) == RELPERSISTENCE_TEMP;
  if (!entry->inh && has_subclass(entry->relid)) write(level, "ONLY ");
  write(level,
        temporary ? quote_qualified_identifier("pg_temp", relation) : qualified_name(entry->relid));
  const char* name = give_name(level, number, relation);
  if (strcmp(name, relation) != 0) write(level, psprintf(" %s", name));
  if (entry->tablesample != nullptr) {
    write(level, psprintf(" TABLESAMPLE %s", get_func_name(entry->tablesample->tsmhandler)));
    write_expressions(level, " ", entry->tablesample->args);
    if (entry->tablesample->repeatable) {
      write(level, " REPEATABLE ");
      write_expression(level, node_of(entry->tablesample->repeatable));
    }
  }
}

void write_table(Level& level, Index number, Columns columns, List** conditions);

// A query planned already that is UNION ALL has become one of its arms, with the others behind it.
void write_arms(Level& level, Index number, const RangeTblEntry* first) {
  if (level.root == nullptr || first->subquery->setOperations) return;
  ListCell* cell;
  foreach (cell, level.root->append_rel_list) {
    const auto* arm = static_cast<AppendRelInfo*>(lfirst(cell));
    if (arm->parent_relid != number) continue;
    List* conditions = NIL;
    write(level, " UNION ALL ");
    write_table(level, arm->child_relid, Columns::kByPlace, &conditions);
    write_conditions(level, " WHERE ", conditions);
  }
}

void write_table(Level& level, Index number, Columns columns, List** conditions) {
  const auto* entry = rt_fetch(number, level.query->rtable);
  collect_conditions(node_of(entry->securityQuals), level, conditions);
  ListCell* cell;
  switch (entry->rtekind) {
    case RTE_RELATION:
      return write_relation(level, number, entry);
    case RTE_SUBQUERY:
      level.items =
          lappend(level.items, describe(entry->subquery, columns, nullptr, nullptr, &level));
      if (columns == Columns::kByName) name_columns(level, number, entry->subquery);
      if (entry->inh) write_arms(level, number, entry);
      break;
    case RTE_FUNCTION:
      foreach (cell, entry->functions) {
        write_expressions(level, "function ",
                          list_make1(static_cast<RangeTblFunction*>(lfirst(cell))->funcexpr));
      }
      if (entry->funcordinality) write(level, " WITH ORDINALITY");
      break;
    case RTE_TABLEFUNC: {
      const TableFunc* function = entry->tablefunc;
      write_expressions(level, "TABLE ", list_make2(function->docexpr, function->rowexpr));
      write_expressions(level, " NAMESPACES ", function->ns_uris);
      write_expressions(level, " COLUMNS ", function->colexprs);
      write_expressions(level, " DEFAULT ", function->coldefexprs);
      break;
    }
    case RTE_VALUES:
      foreach (cell, entry->values_lists) {
        write_expressions(level, foreach_current_index(cell) ? " | " : "VALUES ",
                          static_cast<List*>(lfirst(cell)));
      }
      break;
    case RTE_CTE:
      if (entry->self_reference) {
        write(level, "recursion");
      } else {
        write_cte(level, number, entry);
      }
      break;
    case RTE_NAMEDTUPLESTORE:
      write(level, entry->enrname);
      break;
    default:
      return write(level, "no table");
  }
  write(level, psprintf(" %s", give_name(level, number, "r")));
}

const char* words_of(JoinType type) {
  switch (type) {
    case JOIN_LEFT:
      return " LEFT JOIN ";
    case JOIN_RIGHT:
      return " RIGHT JOIN ";
    case JOIN_FULL:
      return " FULL JOIN ";
    case JOIN_SEMI:
      return " SEMI JOIN ";
    case JOIN_ANTI:
      return " ANTI JOIN ";
    default:
      return " JOIN ";
  }
}

void write_from(Level& level, Node* from, List** conditions);

void write_side(Level& level, Node* side) {
  List* conditions = NIL;
  write(level, "(");
  write_from(level, side, &conditions);
  write_conditions(level, " WHERE ", conditions);
  write(level, ")");
}

// Writes the tables, and collects the conditions that hold for all rows.
void write_from(Level& level, Node* from, List** conditions) {
  switch (nodeTag(from)) {
    case T_RangeTblRef:
      return write_table(level, static_cast<Index>(reinterpret_cast<RangeTblRef*>(from)->rtindex),
                         Columns::kByName, conditions);
    case T_FromExpr: {
      const auto* expr = reinterpret_cast<FromExpr*>(from);
      ListCell* cell;
      foreach (cell, expr->fromlist) {
        if (foreach_current_index(cell)) write(level, ", ");
        write_from(level, static_cast<Node*>(lfirst(cell)), conditions);
      }
      return collect_conditions(expr->quals, level, conditions);
    }
    default:
      break;
  }
  const auto* join = reinterpret_cast<JoinExpr*>(from);
  if (join->jointype == JOIN_INNER) {
    write_from(level, join->larg, conditions);
    write(level, ", ");
    write_from(level, join->rarg, conditions);
    collect_conditions(join->quals, level, conditions);
  } else {
    List* on = NIL;
    write_side(level, join->larg);
    write(level, words_of(join->jointype));
    write_side(level, join->rarg);
    collect_conditions(join->quals, level, &on);
    write_conditions(level, " ON ", on);
  }
  if (join->rtindex > 0) (void)give_name(level, static_cast<Index>(join->rtindex), "j");
}

// --- a whole query ---

void write_set_operation(Level& level, Node* node) {
  if (IsA(node, RangeTblRef)) {
    List* none = NIL;
    return write_table(level, static_cast<Index>(reinterpret_cast<RangeTblRef*>(node)->rtindex),
                       Columns::kByPlace, &none);
  }
  const auto* operation = reinterpret_cast<SetOperationStmt*>(node);
  write(level, "(");
  write_set_operation(level, operation->larg);
  const char* words = operation->op == SETOP_UNION       ? "UNION"
                      : operation->op == SETOP_INTERSECT ? "INTERSECT"
                                                         : "EXCEPT";
  write(level, psprintf(") %s%s (", words, operation->all ? " ALL" : ""));
  write_set_operation(level, operation->rarg);
  write(level, ")");
}

void write_sort_clauses(Level& level, const char* before, List* clauses, List* targets) {
  ListCell* cell;
  foreach (cell, clauses) {
    const auto* clause = static_cast<SortGroupClause*>(lfirst(cell));
    write(level, foreach_current_index(cell) ? ", " : before);
    write_expression(level, node_of(get_sortgroupref_tle(clause->tleSortGroupRef, targets)->expr));
    if (OidIsValid(clause->sortop)) {
      write(level, psprintf(" %s%s", get_opname(clause->sortop),
                            clause->nulls_first ? " NULLS FIRST" : ""));
    }
  }
}

void write_grouping_sets(Level& level, List* sets) {
  ListCell* cell;
  foreach (cell, sets) {
    const auto* set = static_cast<GroupingSet*>(lfirst(cell));
    write(level, psprintf(" set %d (", set->kind));
    if (set->kind == GROUPING_SET_SIMPLE) {
      ListCell* inner;
      foreach (inner, set->content) write(level, psprintf(" %d", lfirst_int(inner)));
    } else {
      write_grouping_sets(level, set->content);
    }
    write(level, ")");
  }
}

void write_windows(Level& level, const Query* query) {
  ListCell* cell;
  foreach (cell, query->windowClause) {
    const auto* window = static_cast<WindowClause*>(lfirst(cell));
    write(level, psprintf(" WINDOW %u %d", window->winref, window->frameOptions));
    write_sort_clauses(level, " PARTITION BY ", window->partitionClause, query->targetList);
    write_sort_clauses(level, " ORDER BY ", window->orderClause, query->targetList);
    if (window->startOffset) write_expressions(level, " FROM ", list_make1(window->startOffset));
    if (window->endOffset) write_expressions(level, " TO ", list_make1(window->endOffset));
  }
}

List* finish(const Level& level) {
  return list_make4(level.tables, level.table_names, level.items, level.subqueries);
}

// Whether a LIMIT or OFFSET leaves all rows: NULL, and OFFSET 0.
bool is_no_limit(Node* limit, bool is_offset) {
  if (limit == nullptr) return true;
  Node* value = eval_const_expressions(nullptr, limit);
  if (!IsA(value, Const)) return false;
  const auto* constant = reinterpret_cast<Const*>(value);
  return constant->constisnull || (is_offset && DatumGetInt64(constant->constvalue) == 0);
}

void write_limits(Level& level, const Query* query) {
  const bool counts = !is_no_limit(query->limitCount, false);
  const bool skips = !is_no_limit(query->limitOffset, true);
  if (counts || skips || query->hasDistinctOn) {
    write_sort_clauses(level, " ORDER BY ", query->sortClause, query->targetList);
  }
  if (counts) write_expressions(level, " LIMIT ", list_make1(query->limitCount));
  if (counts && query->limitOption == LIMIT_OPTION_WITH_TIES) write(level, " WITH TIES");
  if (skips) write_expressions(level, " OFFSET ", list_make1(query->limitOffset));
}

List* describe(Query* query, Columns columns, PlannerInfo* root, const SubPlan* plan,
               const Level* outer) {
  check_stack_depth();
  Level level{query, root, outer, plan, outer->subquery_count};
  begin(level);
#if PG_VERSION_NUM >= 180000
  ListCell* entry_cell;
  foreach (entry_cell, query->rtable) {
    const auto* entry = static_cast<RangeTblEntry*>(lfirst(entry_cell));
    if (entry->rtekind != RTE_GROUP) continue;
    write_expressions(level, "GROUP ", entry->groupexprs);
    (void)give_name(level, static_cast<Index>(foreach_current_index(entry_cell)) + 1, "g");
  }
#endif
  write(level, psprintf("%s%s", query->commandType == CMD_SELECT ? "SELECT" : "CHANGE",
                        query->distinctClause ? " DISTINCT" : ""));
  if (query->hasDistinctOn) {
    write_sort_clauses(level, " ON ", query->distinctClause, query->targetList);
  }
  const char* before = " ";
  ListCell* cell;
  foreach (cell, query->targetList) {
    const auto* target = static_cast<TargetEntry*>(lfirst(cell));
    if (target->resjunk) continue;
    if (columns == Columns::kByName && passed_column(query, target) != nullptr) continue;
    write_expressions(level, before, list_make1(target->expr));
    write(level, psprintf(" AS c%d", target->resno));
    before = ", ";
  }
  List* conditions = NIL;
  write(level, " FROM ");
  if (query->setOperations) {
    write_set_operation(level, query->setOperations);
  } else {
    write_from(level, node_of(query->jointree), &conditions);
  }
  write_conditions(level, " WHERE ", conditions);
  write_sort_clauses(level, " GROUP BY ", query->groupClause, query->targetList);
  write_grouping_sets(level, query->groupingSets);
  List* having = NIL;
  collect_conditions(query->havingQual, level, &having);
  write_conditions(level, " HAVING ", having);
  write_windows(level, query);
  write_limits(level, query);
  return finish(level);
}

// --- the query that is planned ---

bool is_named(Aggref* aggref) {
  return aggref->aggfnoid >= FirstNormalObjectId && is_named_call(aggref->aggfnoid);
}

bool find_named(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Aggref)) return walk_expression(node, find_named, context);
  auto* aggref = reinterpret_cast<Aggref*>(node);
  auto* found = static_cast<List**>(context);
  if (is_named(aggref)) *found = lappend(*found, aggref);
  return false;
}

// The table, if the query reads no other: its rows go without saying.
Index only_table(Node* from, const Query* query) {
  while (IsA(from, FromExpr)) {
    const List* list = reinterpret_cast<FromExpr*>(from)->fromlist;
    if (list_length(list) != 1) return 0;
    from = static_cast<Node*>(linitial(list));
  }
  if (!IsA(from, RangeTblRef)) return 0;
  const auto number = static_cast<Index>(reinterpret_cast<RangeTblRef*>(from)->rtindex);
  const auto* entry = rt_fetch(number, query->rtable);
  const bool plain = entry->rtekind == RTE_RELATION && entry->tablesample == nullptr &&
                     (entry->inh || !has_subclass(entry->relid));
  return plain ? number : 0;
}

// The columns that a question is about, by name. What is no plain column of the table itself makes
// them unknown: a row as a whole, a system column, a subquery.
struct ColumnUse {
  Index table;
  Oid relation;
  bool all_known;
  List* names;  // of String
};

bool note_columns(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* used = static_cast<ColumnUse*>(context);
  if (IsA(node, Var)) {
    const auto* var = reinterpret_cast<Var*>(node);
    const char* name =
        var->varlevelsup == 0 && var->varno == static_cast<int>(used->table) && var->varattno > 0
            ? get_attname(used->relation, var->varattno, true)
            : nullptr;
    used->all_known &= name != nullptr;
    if (name) used->names = list_append_unique(used->names, makeString(pstrdup(name)));
    return false;
  }
  if (IsA(node, Param)) {
    used->all_known &= reinterpret_cast<Param*>(node)->paramkind == PARAM_EXTERN;
    return false;
  }
  if (IsA(node, SubLink) || IsA(node, SubPlan) || IsA(node, AlternativeSubPlan)) {
    used->all_known = false;
    return false;
  }
  return walk_expression(node, note_columns, context);
}

List* used_columns(const Query* query, Index only, List* conditions, List* calls, List* keys) {
  ColumnUse used{only, only ? rt_fetch(only, query->rtable)->relid : InvalidOid, only > 0, NIL};
  if (only > 0) {
    (void)note_columns(node_of(conditions), &used);
    (void)note_columns(node_of(calls), &used);
    ListCell* cell;
    foreach (cell, keys) {
      (void)note_columns(
          static_cast<Node*>(list_nth(static_cast<List*>(lfirst(cell)), recorded::kKey)), &used);
    }
  }
  return list_make2(make_number(used.all_known), used.names);
}

char* recorded_question(PlannerInfo* root, List* calls) {
  Query* query = root->parse;
  int subqueries = 0;
  Level level{query, root, nullptr, nullptr, &subqueries};
  begin(level);
  List* conditions = NIL;
  write_from(level, node_of(query->jointree), &conditions);
  List* asked = NIL;
  ListCell* cell;
  foreach (cell, calls) {
    const auto* aggref = static_cast<Aggref*>(lfirst(cell));
    List* filter = NIL;
    collect_conditions(node_of(aggref->aggfilter), level, &filter);
    // Epsilon and name are all that a count of rows has.
    const bool has_column = list_length(aggref->args) > 2;
    const auto* first = static_cast<TargetEntry*>(linitial(aggref->args));
    Node* column = has_column ? portable(node_of(first->expr), &level) : nullptr;
    asked = lappend(asked, list_make4(make_number(aggref->aggno), conjunction(filter), column,
                                      make_number(aggref->aggdistinct != NIL)));
  }
  List* keys = NIL;
  foreach (cell, query->groupClause) {
    const auto* clause = static_cast<SortGroupClause*>(lfirst(cell));
    const auto* key = get_sortgroupref_tle(clause->tleSortGroupRef, root->processed_tlist);
    keys = lappend(keys, list_make2(make_number(static_cast<int>(clause->tleSortGroupRef)),
                                    portable(node_of(key->expr), &level)));
  }
  const Index only = only_table(node_of(query->jointree), query);
  List* question = list_make5(finish(level), conjunction(conditions),
                              make_number(static_cast<int>(only)), asked, keys);
  return nodeToString(lappend(question, used_columns(query, only, conditions, calls, keys)));
}

// Unique in this process, and no position in a text.
int next_number() {
  static int number = -1;
  number = number == PG_INT32_MIN ? -2 : number - 1;
  return number;
}

}  // namespace

void record_question(PlannerInfo* root) {
  if (!root->parse->hasAggs) return;
  List* calls = NIL;
  (void)find_named(node_of(root->processed_tlist), &calls);
  (void)find_named(root->parse->havingQual, &calls);
  if (calls == NIL || static_cast<Aggref*>(linitial(calls))->location < -1) return;
  const int number = next_number();
  PlainOutput plain;
  char* recorded = recorded_question(root, calls);
  plain.end();
  auto* entry = makeNode(RangeTblEntry);
  entry->rtekind = RTE_RESULT;
  entry->eref = makeAlias(psprintf("%s%d %s", kRecordedPrefix, number, recorded), NIL);
  root->parse->rtable = lappend(root->parse->rtable, entry);
  ListCell* cell;
  foreach (cell, calls) static_cast<Aggref*>(lfirst(cell))->location = number;
}

}  // namespace idp
