#include "isa/Base/Support/Hash.h"

#include <array>
#include <bit>
#include <cstring>

namespace tilerig {

static constexpr uint64_t prime1 = 0x9E3779B185EBCA87, prime2 = 0xC2B2AE3D27D4EB4F,
                          prime3 = 0x165667B19E3779F9, prime4 = 0x85EBCA77C2B2AE63,
                          prime5 = 0x27D4EB2F165667C5;

template <class Word>
static Word load(const std::byte *at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

static uint64_t mixLane(uint64_t lane, uint64_t input) {
  return std::rotl(lane + input * prime2, 31) * prime1;
}

static uint64_t mergeLane(uint64_t hash, uint64_t lane) {
  return (hash ^ mixLane(0, lane)) * prime1 + prime4;
}

uint64_t hashBytes(std::span<const std::byte> bytes) {
  const std::byte *at = bytes.data();
  size_t left = bytes.size();
  uint64_t hash = prime5;
  if (left >= 32) {
    std::array<uint64_t, 4> lanes = {prime1 + prime2, prime2, 0, -prime1};
    for (; left >= 32; left -= 32)
      for (uint64_t &lane : lanes) {
        lane = mixLane(lane, load<uint64_t>(at));
        at += 8;
      }
    hash =
        std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
    for (uint64_t lane : lanes)
      hash = mergeLane(hash, lane);
  }
  hash += bytes.size();
  for (; left >= 8; left -= 8, at += 8)
    hash = std::rotl(hash ^ mixLane(0, load<uint64_t>(at)), 27) * prime1 + prime4;
  if (left >= 4) {
    hash = std::rotl(hash ^ load<uint32_t>(at) * prime1, 23) * prime2 + prime3;
    left -= 4;
    at += 4;
  }
  for (; left; --left, ++at)
    hash = std::rotl(hash ^ static_cast<uint64_t>(*at) * prime5, 11) * prime1;
  hash = (hash ^ hash >> 33) * prime2;
  hash = (hash ^ hash >> 29) * prime3;
  return hash ^ hash >> 32;
}

uint64_t hashText(std::string_view text) { return hashBytes(std::as_bytes(std::span(text))); }

uint64_t combineHashes(uint64_t first, uint64_t second) {
  std::array<uint64_t, 2> pair = {first, second};
  return hashBytes(std::as_bytes(std::span(pair)));
}

} // namespace tilerig
