// Splits a dataset into training rows and rows that are held out for calibration and evaluation.
//
// Held-out rows are never trained on. Rows are held out by the family of network architectures to which their
// network belongs. Options also hold out rows by precision, machine, number of tiles, or place of the bug in
// compiler, program or machine. A row that is held out for several reasons belongs to the part of the dataset
// that comes first in the enumeration `Part`. Of the remaining networks, a hash selects some, all of whose
// rows are held out: rows of one network are so similar that they must not be divided between training and
// evaluation.
#pragma once

#include "classifier/Data/Rows.h"
#include "isa/Base/Support/Error.h"
#include "isa/Base/Support/StrictJson.h"
#include "isa/Instructions/Field.h"
#include "verify/Evidence/Sample.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilerig::classifier {

enum class Part : uint8_t {
  // rows with held-out bugs, by which the score that detects unknown bugs is tuned (Training/Calibrate.h)
  unknownTuning,
  unknownJudging, // rows with held-out bugs, by which the detection of unknown bugs is evaluated
  unseenPrecision,
  unseenMachine,
  unseenTiles,
  unseenSite,
  unseenFamily,
  calibration, // rows for temperature scaling of the probabilities; neither trained on nor evaluated
  seen,        // rows for evaluation; other networks of their families are trained on
  training,
};
inline constexpr size_t numParts = 10;
std::string_view nameOf(Part part);

class Split {
public:
  // Parses options of the form "family" or "field=value", each of which holds out rows. "family" and
  // "calibration" name a family of networks. "precision", "machine" and "tiles" state how the network was
  // compiled. "site" is the wrong part of compiler, program or machine. "unknown_tuning" and "unknown" name a
  // bug.
  static Result<Split> of(const std::vector<std::string> &heldOut);
  static Result<Split> fromJson(const JsonPlace &object);

  // Refuses a held-out value that occurs in no row of the dataset, because it is probably misspelt.
  Status checkNames(const Rows &rows) const;

  Part partOf(const verify::Origin &origin) const;
  Json asJson() const;

private:
  std::map<Part, std::set<std::string>> heldOut;
};

// The default of the option --held-out, in the form that Split::of() parses.
std::vector<std::string> usualSplit();

} // namespace tilerig::classifier
