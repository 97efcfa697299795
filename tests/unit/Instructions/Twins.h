// Pairs of instructions, one legal and one that differs from it in breaking a single rule.
#pragma once

#include "tests/unit/Instructions/Samples.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tilerig {

struct Twin {
  Instruction legal, broken;
  std::string field, words; // that the checker's message names, and contains
};

class Twins {
public:
  // `spoil` breaks the legal instruction at `field`.
  template <class T, class Spoil>
  Twins &add(const T &legal, Spoil &&spoil, std::string field, std::string words) {
    T broken = legal;
    spoil(broken);
    all.push_back({legal, broken, std::move(field), std::move(words)});
    return *this;
  }
  std::vector<Twin> all;
};

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();

void addControlTwins(Twins &twins);
void addDmaTwins(Twins &twins);
void addFinishTwins(Twins &twins); // functions, quantisation, scales and zero points
void addPodTwins(Twins &twins);
void addPeTwins(Twins &twins);

} // namespace tilerig
