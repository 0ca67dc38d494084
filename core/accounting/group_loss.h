// What an answer loses about a unit that has up to m of the rows it is computed from.
//
// Two data sets that differ in one unit are m steps of one record apart.
//
//   global sensitivity   each step loses epsilon: m of them lose m times epsilon, in one group or
//                        spread over several
//   local sensitivity    says nothing about a second step. The i-th of several epsilons protects
//                        groups of i records, so without GROUP BY the largest of the first m is
//                        lost. With GROUP BY the m rows may lie in several groups, m_1 + … + m_k <=
//                        m: the largest sum of epsilons m_1, …, m_k over all ways to divide them
//
// Source: Dwork and Roth, "The Algorithmic Foundations of Differential Privacy" (2014),
// Theorem 2.2; privacy.md, section 1 (Definition 6).
#pragma once

#include "core/no_postgres.h"

#include <cstdint>
#include <span>

namespace idp {

// How often each epsilon is lost, as the loss is the greatest: epsilons[i] is that of i + 1
// records, and there are at least m >= 1. times has as many elements.
void costliest_division(std::span<const double> epsilons, std::int32_t m, bool grouped,
                        std::span<std::int32_t> times);

}  // namespace idp
