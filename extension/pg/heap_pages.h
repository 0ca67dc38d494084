// Pages of heap tables, as the server's own scans have read them: which rows of a page are visible
// is theirs to find out. Where they keep that is no interface of the server's, so it is read here
// alone, and of versions that are known.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "access/heapam.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "executor/execExpr.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "utils/rel.h"
}

namespace idp {

// Whether that is known of this version.
constexpr bool kKnowsHeapPages = PG_VERSION_NUM >= 140000 && PG_VERSION_NUM < 190000;

constexpr int kMostRowsOfPage = MaxHeapTuplesPerPage;

inline bool is_heap(Relation table) { return table->rd_tableam == GetHeapamTableAmRoutine(); }

struct HeapRow {
  HeapTupleHeader header;
  OffsetNumber place;
};

#if PG_VERSION_NUM < 190000

// The scan of a heap, whose rows are found a page at a time; null if they are not.
inline HeapScanDesc paged_scan(TableScanDesc scan) {
  if (scan == nullptr || (scan->rs_flags & SO_ALLOW_PAGEMODE) == 0) return nullptr;
  return reinterpret_cast<HeapScanDesc>(scan);
}

// Whether a scan has read a row since it began, or began anew.
inline bool is_under_way(HeapScanDesc scan) { return scan->rs_inited; }

// The row that the scan has given last, and those behind it on its page; returns how many. The next
// one that it gives is on another page. They stay where they are until then.
inline int rest_of_page(HeapScanDesc scan, HeapRow* rows) {
  Page page = BufferGetPage(scan->rs_cbuf);
  const auto first = static_cast<int>(scan->rs_cindex);
  const int count = static_cast<int>(scan->rs_ntuples) - first;
  for (int i = 0; i < count; ++i) {
    const OffsetNumber place = scan->rs_vistuples[first + i];
    rows[i] = {reinterpret_cast<HeapTupleHeader>(PageGetItem(page, PageGetItemId(page, place))),
               place};
    __builtin_prefetch(rows[i].header);
  }
  scan->rs_cindex = scan->rs_ntuples - 1;
  // a row of a table counts as one of an index does
  pgstat_count_index_tuples(scan->rs_base.rs_rd, count - 1);
  return count;
}

// Puts such a row into a slot, as the scan does.
inline void store_row(HeapScanDesc scan, const HeapRow& row, TupleTableSlot* slot) {
  HeapTuple tuple = &scan->rs_ctup;
  tuple->t_data = row.header;
  tuple->t_len = ItemIdGetLength(PageGetItemId(BufferGetPage(scan->rs_cbuf), row.place));
  tuple->t_tableOid = RelationGetRelid(scan->rs_base.rs_rd);
  ItemPointerSet(&tuple->t_self, BufferGetBlockNumber(scan->rs_cbuf), row.place);
  ExecStoreBufferHeapTuple(tuple, slot, scan->rs_cbuf);
}

#else

inline HeapScanDesc paged_scan(TableScanDesc) { return nullptr; }
inline bool is_under_way(HeapScanDesc) { return false; }
inline int rest_of_page(HeapScanDesc, HeapRow*) { return 0; }
inline void store_row(HeapScanDesc, const HeapRow&, TupleTableSlot*) {}

#endif

// What a transition function has returned, where the state that it takes the place of lies.
inline Datum keep_state(AggState* node, AggStatePerTrans transition, Datum state, bool is_null,
                        const AggStatePerGroupData& before) {
  MemoryContext context = CurrentMemoryContext;
#if PG_VERSION_NUM >= 160000
  state = ExecAggCopyTransValue(node, transition, state, is_null, before.transValue,
                                before.transValueIsNull);
#else
  state = ExecAggTransReparent(node, transition, state, is_null, before.transValue,
                               before.transValueIsNull);
#endif
  MemoryContextSwitchTo(context);  // it leaves it in that of states
  return state;
}

}  // namespace idp
