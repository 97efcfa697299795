// Bytes as text in base64 (RFC 4648, section 4).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilerig {

std::string toBase64(std::span<const std::byte> bytes);
// Empty if the text is no base64: it has other letters, a wrong length, or is not padded.
std::optional<std::vector<std::byte>> fromBase64(std::string_view text);

} // namespace tilerig
