#include "extension/batch/feed.h"

#include "extension/batch/fed_scan.h"
#include "extension/batch/push.h"
#include "extension/pg/nodes.h"
#include "extension/state/running_query.h"

namespace idp {

namespace {

// Those of a query that are asked come first: the members of an Append are, each for long.
Feed* feed_of(PlanState* scan) {
  RunningQuery* query = find_query(scan->state);
  Feed** link = &query->feeds;
  while (&(*link)->scan->ss.ps != scan) link = &(*link)->following;
  Feed* feed = *link;
  *link = feed->following;
  feed->following = query->feeds;
  query->feeds = feed;
  return feed;
}

// --- what is in hand ---

void take_in_hand(Feed& feed) {
  MemoryContext memory = AllocSetContextCreate(feed.scan->ss.ps.state->es_query_cxt, "idp batches",
                                               ALLOCSET_DEFAULT_SIZES);
  MemoryContext before = MemoryContextSwitchTo(memory);
  auto* hand = static_cast<Hand*>(palloc0(sizeof(Hand)));
  constexpr Size kRows = kMostRowsOfPage;
  hand->memory = memory;
  hand->computed = AllocSetContextCreate(memory, "idp values", ALLOCSET_SMALL_SIZES);
  hand->selected = static_cast<std::uint16_t*>(palloc(sizeof(std::uint16_t) * kRows));
  hand->chosen = static_cast<std::uint16_t*>(palloc(sizeof(std::uint16_t) * kRows));
  hand->values = static_cast<Datum*>(palloc(sizeof(Datum) * kRows));
  hand->group_of_row = static_cast<AggStatePerGroup*>(palloc0(sizeof(AggStatePerGroup) * kRows));
  hand->groups = static_cast<AggStatePerGroup*>(palloc0(sizeof(AggStatePerGroup) * kRows));
  hand->cache.words = feed.key_words;
  make_room(feed.page);
  MemoryContextSwitchTo(before);
  feed.hand = hand;
  set_parameters(feed.transitions, feed.transition_count);
}

void put_away(Feed& feed) {
  if (feed.hand == nullptr) return;
  MemoryContext memory = feed.hand->memory;
  feed.hand = nullptr;
  feed.page->count = 0;
  MemoryContextDelete(memory);
}

// --- pages ---

HeapScanDesc scan_of(const Feed& feed) { return paged_scan(feed.scan->ss.ss_currentScanDesc); }

// Reads the next page, or the rest of the one that the scan is on. False: there are no more.
bool next_page(Feed& feed) {
  SeqScanState* node = feed.scan;
  Hand& hand = *feed.hand;
  PageRows& page = *feed.page;
  CHECK_FOR_INTERRUPTS();
  if (!table_scan_getnextslot(node->ss.ss_currentScanDesc, ForwardScanDirection,
                              node->ss.ss_ScanTupleSlot)) {
    return false;
  }
  page.count = rest_of_page(scan_of(feed), page.rows);
  read_columns(&page);
  for (int i = 0; i < page.count; ++i) hand.selected[i] = static_cast<std::uint16_t>(i);
  node->ss.ps.ps_ExprContext->ecxt_scantuple = feed.slot;
  hand.selected_count = keep_fitting(feed, feed.conditions, hand.selected, page.count);
  ResetExprContext(node->ss.ps.ps_ExprContext);
  InstrCountFiltered1(node, page.count - hand.selected_count);
  hand.next = 0;
  return true;
}

// As the scan gives one.
TupleTableSlot* give_row(Feed& feed, int row) {
  SeqScanState* node = feed.scan;
  TupleTableSlot* slot = node->ss.ss_ScanTupleSlot;
  ExprContext* context = node->ss.ps.ps_ExprContext;
  store_row(scan_of(feed), feed.page->rows[row], slot);
  ResetExprContext(context);
  context->ecxt_scantuple = slot;
  return node->ss.ps.ps_ProjInfo == nullptr ? slot : ExecProject(node->ss.ps.ps_ProjInfo);
}

TupleTableSlot* give_end(Feed& feed) {
  put_away(feed);
  feed.has_first = false;
  ProjectionInfo* projection = feed.scan->ss.ps.ps_ProjInfo;
  return ExecClearTuple(projection == nullptr ? feed.scan->ss.ss_ScanTupleSlot
                                              : projection->pi_state.resultslot);
}

// --- groups ---

// A key of one column is its value, of several they stand behind bits that say which are NULL.
// False if it does not fit.
bool make_key(Feed& feed, int row) {
  Hand& hand = *feed.hand;
  std::uint64_t* at = hand.key;
  const bool is_single = feed.key_count == 1;
  if (!is_single) *at++ = 0;
  hand.is_key_null = false;
  for (int i = 0; i < feed.key_count; ++i) {
    const GroupKey& key = feed.keys[i];
    bool is_null = false;
    const Datum value = value_of_row(feed, key.value, row, is_null);
    if (is_null && is_single) {
      hand.is_key_null = true;
      return true;
    }
    if (is_null) {
      hand.key[0] |= std::uint64_t{1} << i;
      for (int word = 0; word < key.form.words; ++word) *at++ = 0;
    } else if (!put_key(key.form, value, at)) {
      return false;
    }
  }
  return true;
}

AggStatePerGroup known_group(const Hand& hand) {
  return hand.is_key_null ? hand.cache.group_of_null
                          : find_group(hand.cache, hand.key, hand.cache.words);
}

// What the aggregation has found for the row that it was given: nothing, where that went to a file.
void remember_group(Feed& feed) {
  Hand& hand = *feed.hand;
  hand.is_group_open = false;
  AggStatePerGroup group = feed.aggregation->hash_pergroup[0];
  if (group == nullptr) return;
  if (hand.is_key_null) {
    hand.cache.group_of_null = group;
    return;
  }
  MemoryContext before = MemoryContextSwitchTo(hand.memory);
  keep_group(hand.cache, hand.key, group);
  MemoryContextSwitchTo(before);
}

bool computes_keys(const Feed& feed) {
  for (int i = 0; i < feed.key_count; ++i) {
    if (feed.keys[i].value.other != nullptr) return true;
  }
  return false;
}

// Finds the groups of selected rows as below, where the key is a column that is passed by value.
int find_groups_by_word(Feed& feed, const PageColumn& column) {
  Hand& hand = *feed.hand;
  int at = hand.next;
  for (; at < hand.selected_count; ++at) {
    const int row = hand.selected[at];
    const std::uint64_t key = column.values[row];
    AggStatePerGroup group =
        column.is_null[row] ? hand.cache.group_of_null : find_group(hand.cache, &key, 1);
    if (group == nullptr) {
      hand.is_group_open = make_key(feed, row);
      break;
    }
    hand.group_of_row[row] = group;
  }
  return at;
}

// Finds the groups of selected rows from the next on, up to the first one whose group is not known;
// returns which that is.
int find_groups(Feed& feed) {
  Hand& hand = *feed.hand;
  const bool computes = computes_keys(feed);
  ExprContext* context = feed.scan->ss.ps.ps_ExprContext;
  context->ecxt_scantuple = feed.slot;
  if (feed.key_count == 1 && !computes && feed.keys[0].form.by_value) {
    return find_groups_by_word(feed, feed.page->columns[feed.keys[0].value.place]);
  }
  int at = hand.next;
  for (; at < hand.selected_count; ++at) {
    const int row = hand.selected[at];
    if (computes) {
      CHECK_FOR_INTERRUPTS();
      ResetExprContext(context);
      fill_slot(feed, row);
    }
    hand.is_group_open = make_key(feed, row);
    AggStatePerGroup group = hand.is_group_open ? known_group(hand) : nullptr;
    if (group == nullptr) break;
    hand.is_group_open = false;
    hand.group_of_row[row] = group;
  }
  if (computes) ResetExprContext(context);
  return at;
}

// --- the two ways ---

TupleTableSlot* take_all(Feed& feed) {
  while (next_page(feed)) take_rows(feed, 0, feed.hand->selected_count);
  return give_end(feed);
}

TupleTableSlot* take_known_groups(Feed& feed) {
  Hand& hand = *feed.hand;
  if (hand.is_group_open) remember_group(feed);
  for (;;) {
    if (hand.next == hand.selected_count && !next_page(feed)) return give_end(feed);
    const int from = hand.next;
    hand.next = find_groups(feed);
    take_rows(feed, from, hand.next);
    if (hand.next < hand.selected_count) return give_row(feed, hand.selected[hand.next++]);
  }
}

}  // namespace

TupleTableSlot* next_row(PlanState* scan) {
  Feed& feed = *feed_of(scan);
  const HeapScanDesc pages = scan_of(feed);
  if (pages == nullptr || !is_under_way(pages)) {  // maybe it began anew
    put_away(feed);
    feed.has_first = false;
  }
  const EState* state = scan->state;
  const bool is_ordinary =
      state->es_epq_active != nullptr || !ScanDirectionIsForward(state->es_direction);
  if (!feed.has_first || (is_ordinary && feed.hand == nullptr)) {
    TupleTableSlot* row = feed.by_server(scan);
    feed.has_first = !is_ordinary && !TupIsNull(row) && scan_of(feed) != nullptr;
    return row;
  }
  if (feed.hand == nullptr) take_in_hand(feed);
  return feed.key_count == 0 ? take_all(feed) : take_known_groups(feed);
}

}  // namespace idp
