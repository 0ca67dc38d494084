// idp.margin(answer, confidence): how far the noise of an answer strays, in the statement that asks
// for the answer.
//
// The function does not see what it is called over, only a value. So before a query is planned each
// call over a private answer becomes one of idp.margin_of, with all that the law of the noise
// follows from: the aggregate, its parameters, the tables whose accounts say which neighbours there
// are (aggregate/margin.cpp). The answer stays its first argument, so that the query asks for what
// it asked for. Other calls stay as they are, and give NULL.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Reports an error unless it lies between 0 and 1.
void require_confidence(double confidence);

// After plain aggregates have become private ones.
void give_margins(Query* query);

}  // namespace idp
