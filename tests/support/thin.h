// How much less the tests do under the sanitizers, which cost about that factor.
#pragma once

namespace idp::test {

#ifdef IDP_SANITIZE
inline constexpr int kThin = 8;
#else
inline constexpr int kThin = 1;
#endif

}  // namespace idp::test
