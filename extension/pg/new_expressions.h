// Casts and operations as the parser makes them. It gives them their collations afterwards, from
// what a query says; here they have that of what they are made of.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/primnodes.h"
}

namespace idp {

// value::type; null if there is no such cast.
Node* cast_to(Node* value, Oid type, CoercionForm form);

// left name right, by an operator of the server.
Node* operation(const char* name, Node* left, Node* right);

}  // namespace idp
