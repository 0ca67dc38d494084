// The composite types idp.report and idp.rappor_report: what one record answered, with everything
// that is needed to decode it or to draw it again at another epsilon.
//
//   idp.report          domain text[], epsilons float8[], answers text[]
//   idp.rappor_report   bits, hashes, epsilons float8[], answers bit varying[], beta, gamma
//
// epsilons ascend; answers[i] was drawn at epsilons[i]. beta and gamma are those of an instant
// report, null otherwise. Anybody can write down such a value, so what comes in is checked.
#pragma once

#include "extension/pg/pg.h"

#include "core/gradual/rappor.h"

extern "C" {
#include "utils/varbit.h"
}

namespace idp {

// How many values a domain can have, and how many epsilons a report: one compares them all.
inline constexpr int kMostDomainValues = 1000;
inline constexpr int kMostLevels = 100;

// The columns of a composite value.
struct ReportColumns {
  Datum values[6];
  bool nulls[6];
};

struct ResponseReport {
  ArrayType* domain;
  int levels;
  const double* epsilons;
  Datum* answers;  // text
};

struct RapporReport {
  BloomShape shape;
  int levels;
  const double* epsilons;
  VarBit** answers;
  bool is_instant;
  double beta, gamma;
};

// Report an error unless the value is one that the functions of the extension could have made.
ResponseReport read_response_report(Datum report);
RapporReport read_rappor_report(Datum report);

// Likewise for shapes of Bloom filters.
BloomShape read_shape(int32 bits, int32 hashes);

// The place of that epsilon among the levels of a report; -1 if it is not there.
int find_level(const double* epsilons, int levels, double epsilon);

// As values of the types.
Datum response_report_datum(const ResponseReport& report);
Datum rappor_report_datum(const RapporReport& report);

// Bits as the core has them. Throws std::bad_alloc.
Bits bits_of(const VarBit* value);
// The other way, into a value of that many bits.
void write_bits(const Bits& bits, VarBit* value);
VarBit* new_varbit(std::size_t bits);

// Whether two texts, or two values with a header, are the same in every byte.
bool same_text(Datum a, Datum b);
bool same_bytes(const void* a, const void* b);

// Reports an error unless epsilon can be answered.
void require_epsilon(double epsilon);

}  // namespace idp
