#include "extension/release/release.h"

#include <algorithm>

#include "core/accounting/composition.h"
#include "core/aggregate/answer.h"
#include "extension/budget/account.h"
#include "extension/call/functions.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/plan/groups.h"
#include "extension/plan/question.h"
#include "extension/release/noise.h"
#include "extension/catalog/store.h"
#include "extension/catalog/stored_text.h"

extern "C" {
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "common/hashfn.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/rls.h"
}

namespace idp {

struct Family {
  int phase;
  int set;
  pg_uuid_t id;
  Family* next;
};

namespace {

// Columns of idp.chain.
enum {
  kId,
  kName,
  kNameHash,
  kFamily,
  kGrouped,
  kAccounts,
  kTable,
  kTableName,
  kTables,
  kAggregate,
  kColumn,
  kResult,
  kBorn,
  kRole,
  kRecord,
  kCondition,
  kChainColumns
};
// Columns of idp.chain_level.
enum { kChain, kEpsilons, kNoise, kAt, kLevelRole, kLevelColumns };

int64 hash_of(const char* name) {
  return static_cast<int64>(hash_bytes_extended(reinterpret_cast<const unsigned char*>(name),
                                                static_cast<int>(strlen(name)), 0));
}

pg_uuid_t new_id() {
  pg_uuid_t id;
  if (!pg_strong_random(id.data, UUID_LEN)) {
    ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random values")));
  }
  return id;
}

uint32 lock_number(const pg_uuid_t& id) { return hash_bytes(id.data, UUID_LEN); }
uint32 lock_number(const char* name) { return static_cast<uint32>(hash_of(name)); }

// --- reading ---

char* text_copy(Datum value) { return TextDatumGetCString(value); }

List* oid_list(Datum array) {
  ArrayType* elements = DatumGetArrayTypeP(array);
  const auto* numbers = reinterpret_cast<const Oid*>(ARR_DATA_PTR(elements));
  List* list = NIL;
  for (int i = 0; i < ArrayGetNItems(ARR_NDIM(elements), ARR_DIMS(elements)); ++i) {
    list = lappend_oid(list, numbers[i]);
  }
  return list;
}

Levels read_levels(const pg_uuid_t& chain) {
  Levels levels{nullptr, 0, InvalidXLogRecPtr};
  int room = 0;
  StoreScan scan(Table::kLevel, "chain_level_chain");
  scan.add_key(kChain + 1, F_UUID_EQ, UUIDPGetDatum(&chain));
  Datum values[kLevelColumns];
  bool nulls[kLevelColumns];
  while (scan.next(values, nulls)) {
    levels.written = std::max(levels.written, scan.written());
    if (levels.count == room) {
      room = room ? 2 * room : 4;
      const Size size = static_cast<Size>(room) * sizeof(StoredLevel);
      levels.rows =
          static_cast<StoredLevel*>(levels.rows ? repalloc(levels.rows, size) : palloc(size));
    }
    ArrayType* epsilons = DatumGetArrayTypePCopy(values[kEpsilons]);
    levels.rows[levels.count++] = {reinterpret_cast<const double*>(ARR_DATA_PTR(epsilons)),
                                   ArrayGetNItems(ARR_NDIM(epsilons), ARR_DIMS(epsilons)),
                                   DatumGetByteaPCopy(values[kNoise])};
  }
  scan.close();
  return levels;
}

StoredChain* chain_of_row(const Datum* values, const bool* nulls, ItemPointerData place) {
  auto* chain = static_cast<StoredChain*>(palloc0(sizeof(StoredChain)));
  chain->id = *DatumGetUUIDP(values[kId]);
  chain->name = text_copy(values[kName]);
  chain->family = *DatumGetUUIDP(values[kFamily]);
  chain->grouped = DatumGetBool(values[kGrouped]);
  chain->accounts = DatumGetArrayTypePCopy(values[kAccounts]);
  chain->table = nulls[kTable] ? InvalidOid : DatumGetObjectId(values[kTable]);
  chain->table_name = nulls[kTableName] ? nullptr : text_copy(values[kTableName]);
  chain->tables = oid_list(values[kTables]);
  chain->aggregate = text_copy(values[kAggregate]);
  chain->column = text_copy(values[kColumn]);
  chain->result = DatumGetObjectId(values[kResult]);
  chain->role = text_copy(values[kRole]);
  chain->condition = nulls[kCondition] ? nullptr : text_copy(values[kCondition]);
  chain->record = nulls[kRecord] ? nullptr : DatumGetByteaPCopy(values[kRecord]);
  chain->place = place;
  chain->levels = read_levels(chain->id);
  return chain;
}

bytea* stored_noise(const Levels& levels, const double* epsilons, int count) {
  for (int i = 0; i < levels.count; ++i) {
    const StoredLevel& level = levels.rows[i];
    if (level.count == count &&
        memcmp(level.epsilons, epsilons, static_cast<Size>(count) * sizeof(double)) == 0) {
      return level.noise;
    }
  }
  return nullptr;
}

const StoredLevel* finest_of(const Levels& levels) {
  const StoredLevel* finest = nullptr;
  for (int i = 0; i < levels.count; ++i) {
    if (finest == nullptr || levels.rows[i].epsilons[0] > finest->epsilons[0]) {
      finest = &levels.rows[i];
    }
  }
  return finest;
}

// --- writing ---

Datum epsilon_array(const double* epsilons, int count) {
  Datum elements[kMaxGroup];
  for (int i = 0; i < count; ++i) elements[i] = Float8GetDatum(epsilons[i]);
  return PointerGetDatum(construct_array(elements, count, FLOAT8OID, sizeof(float8),
                                         FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

// What a release was charged to when it began. Where that was nothing, the number of no account
// says that it could have been: its inputs are rows of a table, one each, once (is_sound).
constexpr int32 kNoAccount = 0;

Datum account_array(List* accounts, bool is_sound) {
  Datum* elements = static_cast<Datum*>(palloc(sizeof(Datum) * (list_length(accounts) + 1)));
  int count = 0;
  ListCell* cell;
  foreach (cell, accounts) {
    elements[count++] = Int32GetDatum(static_cast<Account*>(lfirst(cell))->id);
  }
  if (count == 0 && is_sound) elements[count++] = Int32GetDatum(kNoAccount);
  return PointerGetDatum(
      construct_array(elements, count, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

Datum table_array(List* tables) {
  Datum* elements = static_cast<Datum*>(palloc(sizeof(Datum) * (list_length(tables) + 1)));
  ListCell* cell;
  foreach (cell, tables) elements[foreach_current_index(cell)] = ObjectIdGetDatum(lfirst_oid(cell));
  return PointerGetDatum(construct_array(elements, list_length(tables), own_type("table_reference"),
                                         sizeof(Oid), true, TYPALIGN_INT));
}

void insert_level(const pg_uuid_t& chain, const double* epsilons, int count, bytea* noise) {
  Datum values[kLevelColumns] = {};
  bool nulls[kLevelColumns] = {};
  values[kChain] = UUIDPGetDatum(&chain);
  values[kEpsilons] = epsilon_array(epsilons, count);
  values[kNoise] = PointerGetDatum(noise);
  values[kAt] = TimestampTzGetDatum(GetCurrentTimestamp());
  values[kLevelRole] = CStringGetTextDatum(current_role_name());
  insert_row(Table::kLevel, values, nulls);
}

void insert_chain(const StoredChain& chain, List* accounts, bool is_sound) {
  Datum values[kChainColumns] = {};
  bool nulls[kChainColumns] = {};
  values[kId] = UUIDPGetDatum(&chain.id);
  values[kName] = CStringGetTextDatum(chain.name);
  values[kNameHash] = Int64GetDatum(hash_of(chain.name));
  values[kFamily] = UUIDPGetDatum(&chain.family);
  values[kGrouped] = BoolGetDatum(chain.grouped);
  values[kAccounts] = account_array(accounts, is_sound);
  values[kTable] = ObjectIdGetDatum(chain.table);
  nulls[kTable] = !OidIsValid(chain.table);
  nulls[kTableName] = chain.table_name == nullptr;
  if (chain.table_name) values[kTableName] = CStringGetTextDatum(chain.table_name);
  values[kTables] = table_array(chain.tables);
  values[kAggregate] = CStringGetTextDatum(chain.aggregate);
  values[kColumn] = CStringGetTextDatum(short_form(chain.column));
  values[kResult] = ObjectIdGetDatum(chain.result);
  values[kBorn] = TimestampTzGetDatum(GetCurrentTimestamp());
  values[kRole] = CStringGetTextDatum(current_role_name());
  values[kRecord] = PointerGetDatum(chain.record);
  nulls[kRecord] = chain.record == nullptr;
  nulls[kCondition] = chain.condition == nullptr;
  if (chain.condition) values[kCondition] = CStringGetTextDatum(chain.condition);
  insert_row(Table::kChain, values, nulls);
}

// Charges what a family costs at epsilon beyond what it was charged. True if it cost anything.
bool charge_family(List* accounts, const pg_uuid_t& family, bool grouped, double epsilon,
                   const char* aggregate, const char* release) {
  if (accounts == NIL) return false;
  Charging charging(accounts);
  ListCell* cell;
  foreach (cell, accounts) {
    const auto* account = static_cast<const Account*>(lfirst(cell));
    const double before = charging.family_epsilon(*account, family);
    if (epsilon <= before) continue;
    Datum cost = decimal_of(epsilon);
    if (before > 0) cost = DirectFunctionCall2(numeric_sub, cost, decimal_of(before));
    charging.add({account, aggregate,
                  decimal_times(cost, cost_factor(account->neighbours, grouped)), release, &family,
                  epsilon});
  }
  return charging.commit();
}

// --- naming the current group ---

// Whether a node groups by that column of its input.
bool is_group_column(const Agg* plan, const Var* column) {
  for (int i = 0; i < plan->numCols; ++i) {
    if (plan->grpColIdx[i] == column->varattno) return true;
  }
  ListCell* cell;
  foreach (cell, plan->chain) {
    if (is_group_column(static_cast<Agg*>(lfirst(cell)), column)) return true;
  }
  return false;
}

// Whether the query selects the expression beside its aggregates, for some clause of its own: then
// it is the same for all rows of a group. The planner groups by fewer columns than GROUP BY names:
// it drops those that WHERE pins to one value, and those that a key among them implies.
bool is_selected(const Agg* plan, const Node* expression) {
  ListCell* cell;
  foreach (cell, plan->plan.targetlist) {
    const auto* entry = static_cast<TargetEntry*>(lfirst(cell));
    if (entry->ressortgroupref != 0 && equal(entry->expr, expression)) return true;
  }
  return false;
}

bool find_ungrouped(Node* node, void* context) {
  if (node == nullptr) return false;
  const auto* plan = static_cast<const Agg*>(context);
  if (is_selected(plan, node)) return false;
  if (!IsA(node, Var)) return walk_expression(node, find_ungrouped, context);
  return !is_group_column(plan, reinterpret_cast<Var*>(node));
}

bool is_temporary(Oid table) { return get_rel_persistence(table) == RELPERSISTENCE_TEMP; }

void refuse_name(const char* detail) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
                  errmsg("release must be a constant or made of GROUP BY columns"),
                  errdetail("%s", detail)));
}

// Names that were stored when they could be longer are still answered.
void require_short(const char* name) {
  if (is_short_name(name) || find_chain(name) != nullptr) return;
  ereport(ERROR, (errcode(ERRCODE_NAME_TOO_LONG), errmsg("release name is too long"),
                  errdetail("It has more than %d characters.", kMaxNameCharacters)));
}

char* current_name(BoundCall* call) {
  ExprContext* context = call->node->ss.ps.ps_ExprContext;
  bool is_null = false;
  const Datum name = ExecEvalExprSwitchContext(call->release, context, &is_null);
  if (is_null) return nullptr;
  char* current = TextDatumGetCString(name);
  require_short(current);
  return current;
}

// Two groups must not share a name: the second would get the answer of the first.
void require_new(BoundCall* call, const char* name) {
  if (call->names == nullptr) return;
  int64 hash = hash_of(name);
  bool found = false;
  (void)hash_search(call->names, &hash, HASH_ENTER, &found);
  if (found) {
    ereport(ERROR, (errcode(ERRCODE_CARDINALITY_VIOLATION),
                    errmsg("release \"%s\" names several groups of one query", name),
                    errhint("Make the release name of all GROUP BY columns.")));
  }
}

// Whether the current role may see what another one asked for in words: the condition of a release
// may name other columns than the one that is aggregated.
bool may_see_condition(const StoredChain& chain) {
  if (superuser() || strcmp(chain.role, current_role_name()) == 0) return true;
  return OidIsValid(chain.table) && get_rel_name(chain.table) != nullptr &&
         pg_class_aclcheck(chain.table, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

const char* words_for(const char* condition) {
  return condition[0] == '\0' ? "of all rows" : condition;
}

// What is asked for now, beside what the release stands for.
struct Asked {
  const BoundCall* call;
  const Request* request;
  Oid result;
  const char* condition;
};

bool is_same_column(const StoredChain& chain, const BoundCall& call) {
  return is_stored_as(chain.column, call.column) ||
         (chain.condition == nullptr && is_stored_as(chain.column, call.column_in_session));
}

// What differs, as sentences; empty if nothing does.
char* differences(const StoredChain& chain, const Asked& asked) {
  StringInfoData text;
  initStringInfo(&text);
  const Spec& spec = asked.request->spec;
  if (chain.table != asked.call->table) {
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
  if (chain.condition != nullptr && strcmp(chain.condition, asked.condition) != 0) {
    if (may_see_condition(chain)) {
      appendStringInfo(&text, " It was asked %s, and is asked %s now.", words_for(chain.condition),
                       words_for(asked.condition));
    } else {
      appendStringInfoString(&text, " It is asked of other rows.");
    }
  }
  return text.data;
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

// --- beginning ---

Family* family_of(BoundCall* call) {
  AggState* node = call->node;
  BoundCall* first = call->charged();
  for (Family* family = first->families; family; family = family->next) {
    if (family->phase == node->current_phase && family->set == node->current_set) return family;
  }
  return nullptr;
}

Family* found_family(BoundCall* call, const char* name) {
  AggState* node = call->node;
  BoundCall* first = call->charged();
  auto* family =
      static_cast<Family*>(MemoryContextAllocZero(node->ss.ps.state->es_query_cxt, sizeof(Family)));
  family->phase = node->current_phase;
  family->set = node->current_set;
  family->id = new_id();
  (void)charge_family(first->accounts, family->id, is_grouped(node), call->request.epsilons[0],
                      call->name, name);
  family->next = first->families;
  first->families = family;
  return family;
}

// Begins the release unless another session did meanwhile; the caller then refines that one.
bool begin_chain(BoundCall* call, const char* name, const Asked& asked, bytea* record,
                 Stored* stored) {
  StoreLock lock(Table::kChain, lock_number(name));  // others draw under other names meanwhile
  StoredChain* existing = find_chain(name);
  if (existing && has_begun(*existing)) {
    lock.release();
    return false;
  }
  if (existing) require_same(*existing, asked);
  Family* family = family_of(call);
  const bool is_first = family == nullptr;
  if (is_first) family = found_family(call, name);
  StoredChain chain{};
  chain.id = new_id();
  chain.name = const_cast<char*>(name);
  chain.family = family->id;
  chain.grouped = is_grouped(call->node);
  chain.table = call->table;
  chain.tables = call->tables;
  chain.table_name = qualified_name(call->table);
  chain.aggregate = const_cast<char*>(call->name);
  chain.column = call->column;
  chain.condition = const_cast<char*>(asked.condition);
  chain.result = asked.result;
  chain.record = record;
  const double* epsilons = asked.request->epsilons;
  const int count = asked.request->spec.groups;
  stored->record = record;
  stored->noise = noise_at(record, nullptr, 0, epsilons, count);
  insert_chain(chain, call->charged()->accounts, call->is_sound);
  insert_level(chain.id, epsilons, count, stored->noise);
  lock.release();
  // The other groups of a family need not wait: its charge is on disk, and a chain that a crash
  // loses is charged anew.
  if (is_first) make_durable();
  return true;
}

// --- refining ---

// Locks the tables as a query of them does: their accounts do not change meanwhile.
List* accounts_of_chain(const StoredChain& chain) {
  ListCell* cell;
  foreach (cell, chain.tables) LockRelationOid(lfirst_oid(cell), AccessShareLock);
  return union_of(accounts_numbered(chain.accounts), accounts_of_all(chain.tables));
}

// A release that began before its tables were protected was not refused whatever it was made of:
// rows that a join repeats, or answers drawn again for each row of another query. Its epsilon says
// nothing about one record then. Nor is it known of one that 0.2.0 began so.
void require_sound(const StoredChain& chain, List* accounts) {
  if (accounts == NIL || ArrayGetNItems(ARR_NDIM(chain.accounts), ARR_DIMS(chain.accounts)) > 0) {
    return;
  }
  ereport(ERROR,
          (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
           errmsg("release \"%s\" cannot be charged to protected table \"%s\"", chain.name,
                  static_cast<Account*>(linitial(accounts))->name),
           errdetail("It began before the table was protected, and its inputs are not known to be "
                     "one row of the table each, once."),
           errhint("Ask under another name, or have the owner of the table refresh the release.")));
}

// Draws one level of one chain if it is new.
bytea* add_level(const StoredChain& chain, const Levels& levels, const double* epsilons,
                 int count) {
  bytea* noise = stored_noise(levels, epsilons, count);
  if (noise != nullptr) return noise;
  noise = noise_at(chain.record, levels.rows, levels.count, epsilons, count);
  insert_level(chain.id, epsilons, count, noise);
  return noise;
}

// Draws the level for all chains of a family, so that they are waited for together.
void add_level_to_family(const pg_uuid_t& family, const double* epsilons, int count) {
  StoreScan scan(Table::kChain, "chain_family");
  scan.add_key(kFamily + 1, F_UUID_EQ, UUIDPGetDatum(&family));
  Datum values[kChainColumns];
  bool nulls[kChainColumns];
  MemoryContext each =
      AllocSetContextCreate(CurrentMemoryContext, "idp family", ALLOCSET_SMALL_SIZES);
  while (scan.next(values, nulls)) {
    CHECK_FOR_INTERRUPTS();
    MemoryContext before = MemoryContextSwitchTo(each);
    const StoredChain* chain = chain_of_row(values, nulls, scan.place());
    if (has_begun(*chain)) (void)add_level(*chain, chain->levels, epsilons, count);
    MemoryContextSwitchTo(before);
    MemoryContextReset(each);
  }
  MemoryContextDelete(each);
  scan.close();
}

}  // namespace

Node* release_expression(AggState* node, Aggref* aggref) {
  if (DO_AGGSPLIT_COMBINE(aggref->aggsplit)) return nullptr;  // named calls are not split
  const AggStatePerTransData& transition = node->pertrans[aggref->aggtransno];
  const bool is_ours = statistic_of(transition.transfn.fn_addr) != Statistic::kNone;
  if (!is_ours || !is_named(transition.transfn_oid)) return nullptr;
  // of its arguments, the state is none of the call's, and the name is the last
  const int position = function_argument_count(transition.transfn_oid) - 2;
  return reinterpret_cast<Node*>(static_cast<TargetEntry*>(list_nth(aggref->args, position))->expr);
}

void prepare_release(BoundCall* call, const Input& input) {
  const Spec& spec = call->request.spec;
  Node* name = release_expression(call->node, call->aggref);
  if (!is_additive(spec.statistic)) {
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("answers of %s cannot be released under a name", call->name),
                    errdetail("Only answers made by adding discrete Laplace noise can be refined."),
                    errhint("Ask without a release name: every answer is then a new draw.")));
  }
  if (const Problem* problem = expression_problem(name)) {
    refuse_name(psprintf("It contains %s.", problem->words));
  }
  auto* plan = reinterpret_cast<Agg*>(call->node->ss.ps.plan);
  if (find_ungrouped(name, plan)) {
    refuse_name("A column that is not in GROUP BY differs from row to row.");
  }
  if (has_groups(plan) && !contain_var_clause(name)) {
    refuse_name("With GROUP BY each group needs a name of its own.");
  }
  EState* state = call->node->ss.ps.state;
  call->release = ExecInitExprWithParams(reinterpret_cast<Expr*>(name), state->es_param_list_info);
  if (!contain_var_clause(name)) (void)current_name(call);  // refused before a row is read
  // Temporary tables go without notice: nothing refers to them.
  if (OidIsValid(call->table) && is_temporary(call->table)) call->table = InvalidOid;
  ListCell* cell;
  foreach (cell, input.relations) {
    if (!is_temporary(lfirst_oid(cell))) {
      call->tables = list_append_unique_oid(call->tables, lfirst_oid(cell));
    }
  }
  call->question = question_of(call->node, call->aggref, call->table);
  const bool has_column = spec.grid.type != ValueType::kNone;
  const ColumnText column = column_text(call->node, call->aggref, input, has_column);
  call->column = column.plain;
  call->column_in_session = column.in_session;
  if (has_groups(plan)) {
    HASHCTL control{};
    control.keysize = sizeof(int64);
    control.entrysize = sizeof(int64);
    control.hcxt = state->es_query_cxt;
    call->names =
        hash_create("idp release names", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
  }
}

Stored named_release(BoundCall* call, const Request& request, Oid result, Freeze freeze,
                     void* context) {
  char* name = current_name(call);
  if (name == nullptr) return {nullptr, nullptr};
  require_new(call, name);
  const Asked asked{call, &request, result, short_form(question_text(call->question, call->node))};
  for (;;) {
    const StoredChain* chain = find_chain(name);
    if (chain) {
      require_readable(*chain);
      require_same(*chain, asked);
    }
    Stored stored;
    if (chain && has_begun(*chain)) {
      const Extent extent = is_grouped(call->node) ? Extent::kFamily : Extent::kChain;
      if (refine(*chain, request.epsilons, request.spec.groups, call->charged()->accounts, extent,
                 &stored)) {
        return stored;
      }
      continue;
    }
    if (begin_chain(call, name, asked, freeze(context), &stored)) return stored;
  }
}

namespace {

// The library may be newer than the tables, or older.
void require_known_columns() {
  const Oid schema = get_namespace_oid("idp", false);
  const Oid table = get_relname_relid("chain", schema);
  if (!OidIsValid(table) || column_count(table) == kChainColumns) return;
  ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                  errmsg("extension idp and its library are of different versions"),
                  errhint("Run ALTER EXTENSION idp UPDATE.")));
}

}  // namespace

StoredChain* find_chain(const char* name) {
  require_known_columns();
  StoredChain* chain = nullptr;
  StoreScan scan(Table::kChain, "chain_name", StoreScan::Order::kBackward);  // the last one first
  scan.add_key(kNameHash + 1, F_INT8EQ, Int64GetDatum(hash_of(name)));
  Datum values[kChainColumns];
  bool nulls[kChainColumns];
  while (chain == nullptr && scan.next(values, nulls)) {
    if (strcmp(text_copy(values[kName]), name) != 0) continue;
    chain = chain_of_row(values, nulls, scan.place());
  }
  scan.close();
  return chain;
}

bool may_read(Oid table, const char* role, const char* column) {
  const Oid user = GetUserId();
  if (superuser() || strcmp(role, current_role_name()) == 0) return true;
  if (!OidIsValid(table) || get_rel_name(table) == nullptr) return false;
  if (check_enable_rls(table, InvalidOid, true) == RLS_ENABLED) return false;
  bool is_missing = false;  // by now
  if (pg_class_aclcheck_ext(table, user, ACL_SELECT, &is_missing) == ACLCHECK_OK) return true;
  if (is_missing) return false;
  if (column[0] == '\0') {
    return pg_attribute_aclcheck_all(table, user, ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK;
  }
  const AttrNumber number = get_attnum(table, column);  // none for an expression
  return number != InvalidAttrNumber &&
         pg_attribute_aclcheck(table, number, user, ACL_SELECT) == ACLCHECK_OK;
}

void require_readable(const StoredChain& chain) {
  if (may_read(chain.table, chain.role, chain.column)) return;
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("permission denied for release \"%s\"", chain.name)));
}

bool has_begun(const StoredChain& chain) {
  return chain.record != nullptr && chain.levels.count > 0;
}

bytea* finest_noise(const StoredChain& chain) {
  make_durable(chain.levels.written);
  return finest_of(chain.levels)->noise;
}

void require_min_epsilon(const StoredChain& chain, double epsilon) {
  require_min_epsilon(accounts_of_chain(chain), epsilon);
}

void begin_again(const StoredChain& chain) {
  delete_chains(chain.name);
  StoredChain again = chain;
  again.id = new_id();
  again.family = new_id();
  again.record = nullptr;
  insert_chain(again, accounts_of_chain(chain), true);
  make_durable();
}

void delete_chains(const char* name) {
  while (const StoredChain* chain = find_chain(name)) {
    StoreScan scan(Table::kLevel, "chain_level_chain");
    scan.add_key(kChain + 1, F_UUID_EQ, UUIDPGetDatum(&chain->id));
    Datum values[kLevelColumns];
    bool nulls[kLevelColumns];
    while (scan.next(values, nulls)) delete_row(Table::kLevel, scan.place());
    scan.close();
    delete_row(Table::kChain, chain->place);
  }
}

bool refine(const StoredChain& chain, const double* epsilons, int count, List* accounts,
            Extent extent, Stored* stored) {
  *stored = {chain.record, stored_noise(chain.levels, epsilons, count)};
  if (stored->noise) {
    make_durable(chain.levels.written);
    return true;
  }
  StoreLock lock(Table::kLevel, lock_number(chain.family));
  Levels levels = read_levels(chain.id);  // as they are under the lock
  const StoredLevel* finest = finest_of(levels);
  if (finest == nullptr) {
    lock.release();
    return false;
  }
  stored->noise = stored_noise(levels, epsilons, count);
  if (stored->noise) {
    lock.release();
    make_durable(levels.written);
    return true;
  }
  // With several epsilons the largest of them may be finer than all levels though the first is not.
  const bool beyond = count > 1 || epsilons[0] > finest->epsilons[0];
  if (beyond) {
    List* all = union_of(accounts_of_chain(chain), accounts);
    require_sound(chain, all);
    (void)charge_family(all, chain.family, chain.grouped, epsilons[0], chain.aggregate, chain.name);
  }
  if (beyond || extent == Extent::kFamily) {
    add_level_to_family(chain.family, epsilons, count);
    levels = read_levels(chain.id);
  }
  stored->noise = add_level(chain, levels, epsilons, count);
  lock.release();
  make_durable();
  return true;
}

}  // namespace idp
