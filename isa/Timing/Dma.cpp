#include "isa/Timing/Dma.h"

#include "isa/Timing/Footprint.h"

namespace tilerig {
namespace {

// The machine, and the tile that executes the DMA transfer.
struct Place {
  const Machine &machine;
  unsigned tile;

  const Network &network() const { return machine.network; }
};

// The bytes of a stream that the network carries: those of its contiguous runs, not rounded up to whole
// accesses.
Count bytesOf(const Stream &stream) {
  Runs runs = runsOf(stream);
  return runs.count * runs.bytes;
}

uint64_t wireCycles(Count bytes, unsigned hops, const Network &network) {
  uint64_t rate = network.tilePortBytesPerCycle;
  if (hops > 0)
    rate = std::min<uint64_t>(rate, network.linkBytesPerCycle);
  return ceilDiv(bytes, rate).get();
}

// A phase of a transfer that reads or writes an OCM (on-chip memory): that of the executing tile, of another
// tile, or of all receivers of a multicast.
TransferPhase ocmPhase(Count ocmBytes, Count networkBytes, unsigned hops, const Links &links,
                       const Place &place) {
  TransferPhase phase;
  phase.latencyCycles = uint64_t{hops} * place.network().hopCycles;
  phase.streamCycles = std::max(ceilDiv(ocmBytes, place.network().tilePortBytesPerCycle).get(),
                                wireCycles(networkBytes, hops, place.network()));
  phase.ocmBytes = ocmBytes.get();
  phase.networkBytes = networkBytes.get();
  phase.links = links;
  return phase;
}

TransferPhase ownPhase(const Stream &stream, const Place &place) {
  return ocmPhase(ocmBytes(stream, place.machine.tile), 0, 0, {}, place);
}

// A phase of a transfer between the on-chip memories of two tiles, one of which is the executing tile.
TransferPhase remotePhase(const Stream &stream, unsigned from, unsigned to, const Place &place) {
  return ocmPhase(ocmBytes(stream, place.machine.tile), bytesOf(stream),
                  hopsBetween(place.network(), from, to),
                  routeBetween(place.network(), routerOf(from), routerOf(to)), place);
}

TransferPhase ddrPhase(Count granuleBytes, Count networkBytes, const MulticastTree &way, const Place &place) {
  const Machine &machine = place.machine;
  TransferPhase phase;
  phase.latencyCycles = machine.ddr.latencyCycles + uint64_t{way.hops} * machine.network.hopCycles;
  phase.streamCycles = std::max(ddrCycles(granuleBytes.get(), machine.ddr),
                                wireCycles(networkBytes, way.hops, machine.network));
  phase.ddrBytes = granuleBytes.get();
  phase.networkBytes = networkBytes.get();
  phase.ddrPorts = way.ports;
  phase.links = way.links;
  return phase;
}

// The route from the DDR port of the tile's row to the tile, as a multicast tree with one receiver.
MulticastTree fromPort(const Place &place) {
  return multicastFromDdr(place.network(), TileSet{1} << place.tile);
}

MulticastTree toPort(const Place &place) {
  MulticastTree way = fromPort(place);
  unsigned port = routerOfPort(place.network(), portOf(place.network(), place.tile));
  way.links = routeBetween(place.network(), routerOf(place.tile), port);
  return way;
}

TransferPhase readPhase(const Stream &source, const Place &place) {
  if (source.space == Space::ddr)
    return ddrPhase(ddrBytes(source, place.machine.ddr), bytesOf(source), fromPort(place), place);
  if (source.space == Space::remote)
    return remotePhase(source, source.tile, place.tile, place);
  return ownPhase(source, place);
}

TransferPhase writePhase(const Stream &destination, const Place &place) {
  if (destination.space == Space::ddr)
    return ddrPhase(ddrBytes(destination, place.machine.ddr), bytesOf(destination), toPort(place), place);
  if (destination.space == Space::remote)
    return remotePhase(destination, place.tile, destination.tile, place);
  return ownPhase(destination, place);
}

} // namespace

uint64_t Transfer::cycles() const {
  return std::max(read.cycles(), (Count(read.latencyCycles) + write.cycles()).get());
}

static Transfer phasesOf(const Load &load, const Machine &machine, unsigned tile) {
  Place place = {machine, tile};
  return {readPhase(load.source, place), writePhase(load.destination, place)};
}

static Transfer phasesOf(const Store &store, const Machine &machine, unsigned tile) {
  Place place = {machine, tile};
  return {readPhase(store.source, place), writePhase(store.destination, place)};
}

static Transfer phasesOf(const Multicast &multicast, const Machine &machine, unsigned tile) {
  Place place = {machine, tile};
  Count written = ocmBytes(multicast.destination, machine.tile);
  Transfer transfer;
  transfer.receivers = static_cast<unsigned>(std::popcount(multicast.tiles));
  if (multicast.source.space == Space::ddr) {
    MulticastTree way = multicastFromDdr(machine.network, multicast.tiles);
    transfer.read = ddrPhase(ddrBytes(multicast.source, machine.ddr), bytesOf(multicast.source), way, place);
    transfer.write = ocmPhase(written, 0, 0, {}, place);
  } else {
    MulticastTree way = multicastFromTile(machine.network, tile, multicast.tiles);
    transfer.read = ownPhase(multicast.source, place);
    transfer.write = ocmPhase(written, bytesOf(multicast.destination), way.hops, way.links, place);
  }
  return transfer;
}

// A gather reads all indices first, then one row of the table after the other.
static Transfer phasesOf(const Gather &gather, const Machine &machine, unsigned tile) {
  Place place = {machine, tile};
  TransferPhase indices = ownPhase(gather.indices, place);
  Count rows = elementsOf(gather.indices);
  Stream row = gather.source;
  row.dims[2] = {1, 0};
  Transfer transfer;
  if (gather.source.space == Space::ddr)
    transfer.read = ddrPhase(rows * ddrBytesOfAnyRow(gather.source, machine.ddr), rows * bytesOf(row),
                             fromPort(place), place);
  else
    transfer.read = ocmPhase(rows * ocmBytes(row, machine.tile), 0, 0, {}, place);
  transfer.read.latencyCycles += indices.streamCycles;
  transfer.read.ocmBytes += indices.ocmBytes;
  transfer.write = ownPhase(gather.destination, place);
  return transfer;
}

Transfer transferOf(DmaInstructions::Reference instruction, const Machine &machine, unsigned tile) {
  return std::visit([&](const auto *typed) { return phasesOf(*typed, machine, tile); }, instruction);
}

uint64_t chunksOf(const TransferPhase &phase, const Network &network) {
  return ceilDiv(std::max(phase.ddrBytes, phase.networkBytes), network.chunkBytes).get();
}

uint64_t ddrCycles(uint64_t bytes, const Ddr &ddr) {
  uint64_t bytesPer1000Cycles =
      std::min<uint64_t>(uint64_t{1000} * ddr.portBytesPerCycle, ddr.totalBytesPer1000Cycles);
  return ceilDiv(Count(bytes) * 1000, bytesPer1000Cycles).get();
}

} // namespace tilerig
