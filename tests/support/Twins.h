// Pairs of instructions for tests of the checker: a legal one, and one that breaks a single rule.
#pragma once

#include "tests/support/Samples.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tilerig {

struct Twin {
  Instruction legal, broken;
  std::string field; // the field that the checker names when it refuses `broken`
  std::string words; // words of the message with which the checker refuses `broken`
};

class Twins {
public:
  // Adds a pair: `spoil` turns a copy of the legal instruction into one that is illegal at `field`.
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

void addFinishTwins(Twins &twins); // adds pairs for rules on functions, quantisation, scales and zero points
void addPodTwins(Twins &twins);

namespace test {
void addControlTwins(Twins &twins);
void addDmaTwins(Twins &twins);
void addElementwiseTwins(Twins &twins);
void addMoveTwins(Twins &twins);
void addRowTwins(Twins &twins); // reductions and normalisations
void addImageTwins(Twins &twins);
} // namespace test

} // namespace tilerig
