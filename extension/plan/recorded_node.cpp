#include "extension/plan/recorded_node.h"

#include <cstdlib>

#include "extension/pg/nodes.h"

extern "C" {
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/readfuncs.h"
}

namespace idp {

namespace {

constexpr char kName[] = "idp question";

struct RecordedNode {
  ExtensibleNode node;
  int number;
  List* question;
};

void copy(ExtensibleNode* to, const ExtensibleNode* from) {
  const auto* old = reinterpret_cast<const RecordedNode*>(from);
  auto* same = reinterpret_cast<RecordedNode*>(to);
  same->number = old->number;
  same->question = static_cast<List*>(copyObjectImpl(old->question));
}

bool is_equal(const ExtensibleNode* a, const ExtensibleNode* b) {
  const auto* one = reinterpret_cast<const RecordedNode*>(a);
  const auto* other = reinterpret_cast<const RecordedNode*>(b);
  return one->number == other->number && equal(one->question, other->question);
}

void write(StringInfo text, const ExtensibleNode* node) {
  const auto* recorded = reinterpret_cast<const RecordedNode*>(node);
  appendStringInfo(text, " :number %d :question ", recorded->number);
  outNode(text, recorded->question);
}

// Each value comes after its name.
void read(ExtensibleNode* node) {
  auto* recorded = reinterpret_cast<RecordedNode*>(node);
  int length = 0;
  (void)pg_strtok(&length);
  recorded->number = std::atoi(pg_strtok(&length));
  (void)pg_strtok(&length);
  recorded->question = static_cast<List*>(nodeRead(nullptr, 0));
}

constexpr ExtensibleNodeMethods kMethods = {kName, sizeof(RecordedNode), copy, is_equal, write,
                                            read};

}  // namespace

void register_recorded_questions() { RegisterExtensibleNodeMethods(&kMethods); }

RangeTblEntry* entry_of_question(int number, List* question) {
  auto* recorded = static_cast<RecordedNode*>(palloc0(sizeof(RecordedNode)));
  recorded->node.type = T_ExtensibleNode;
  recorded->node.extnodename = kName;
  recorded->number = number;
  recorded->question = question;
  auto* entry = makeNode(RangeTblEntry);
  entry->rtekind = RTE_RESULT;
  entry->alias = makeAlias(kName, list_make1(recorded));
  entry->eref = makeAlias(kName, NIL);
  return entry;
}

const List* question_in(const RangeTblEntry* entry, int number) {
  if (entry->rtekind != RTE_RESULT || entry->alias == nullptr) return NIL;
  if (list_length(entry->alias->colnames) != 1) return NIL;
  const auto* node = static_cast<const ExtensibleNode*>(linitial(entry->alias->colnames));
  if (!IsA(node, ExtensibleNode) || strcmp(node->extnodename, kName) != 0) return NIL;
  const auto* recorded = reinterpret_cast<const RecordedNode*>(node);
  return recorded->number == number ? recorded->question : NIL;
}

}  // namespace idp
