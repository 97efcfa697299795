// nlohmann::json, without the cost of compiling it anew: the code of its reading and writing is compiled
// once, in Json.cpp, which takes 3 of 7 seconds, or 6 of 10 with sanitizers, from each file that uses it.
// Include this header instead of <nlohmann/json.hpp>.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tilerig::json_detail {

using Text = nlohmann::detail::iterator_input_adapter<std::string::const_iterator>;
using View = nlohmann::detail::iterator_input_adapter<const char *>;

} // namespace tilerig::json_detail

// NOLINTBEGIN
#define TILERIG_JSON(EXTERN, JSON)                                                                           \
  EXTERN template class nlohmann::basic_json JSON;                                                           \
  EXTERN template class nlohmann::detail::serializer<nlohmann::basic_json JSON>;                             \
  EXTERN template class nlohmann::detail::parser<nlohmann::basic_json JSON, tilerig::json_detail::Text>;     \
  EXTERN template class nlohmann::detail::parser<nlohmann::basic_json JSON, tilerig::json_detail::View>;     \
  EXTERN template class nlohmann::detail::lexer<nlohmann::basic_json JSON, tilerig::json_detail::Text>;      \
  EXTERN template class nlohmann::detail::lexer<nlohmann::basic_json JSON, tilerig::json_detail::View>;

TILERIG_JSON(extern, <>)
TILERIG_JSON(extern, <nlohmann::ordered_map>)
// NOLINTEND
