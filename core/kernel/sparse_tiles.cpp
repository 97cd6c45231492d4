#include <algorithm>
#include <vector>

#include "kernel/kernel.hpp"
#include "kernel/tiles.hpp"

namespace rarebit {
namespace {

// Some CSR rows spread out so that the entry of lane i in column c of the packed rows' numbering
// sits at [16 * c + i]. Columns that those do not have meet only zeros and are left out.
template <class T>
class Scattered {
  public:
    Scattered(const std::vector<std::int32_t>& column_number, std::int32_t columns)
        : number_(column_number), values_(static_cast<std::size_t>(columns) * kSparseLanes, T(0)) {}

    void put(const RowBlock& rows) {
        each(rows, [](T* at, T value) { *at += value; });
    }
    void clear(const RowBlock& rows) {
        each(rows, [](T* at, T) { *at = T(0); });
    }
    const T* data() const { return values_.data(); }

  private:
    template <class Do>
    void each(const RowBlock& rows, Do act) {
        for (int i = 0; i < rows.count; ++i) {
            row_.read(*rows.matrix, rows[i]);
            for (int k = 0; k < row_.size(); ++k) {
                const std::int32_t column = number_[row_.columns[k]];
                if (column >= 0)
                    act(&values_[static_cast<std::size_t>(column) * kSparseLanes + i],
                        row_.values[k]);
            }
        }
    }

    const std::vector<std::int32_t>& number_;
    AlignedVector<T> values_;
    SparseRow<T> row_;
};

}  // namespace

void sparse32_tiles(const Kernel& kernel, const RowBlock& left, const PackedRows& right,
                    const ColumnRange& range, const TileSink& sink) {
    const KernelSpec& spec = kernel.spec();
    const HotLoops& loops = kernel.loops();
    Scattered<float> scattered(right.column_numbers(), right.columns_used());
    AlignedVector<float> norms(kSparseLanes, 0.0f);
    // One line per right row, sixteen left rows wide; turned over for the caller.
    AlignedVector<float> lines(static_cast<std::size_t>(kTileColumns) * kSparseLanes);
    AlignedVector<float> tile(static_cast<std::size_t>(kSparseLanes) * kTileStride);
    for (int top = 0; top < left.count; top += kSparseLanes) {
        const int rows = std::min(kSparseLanes, left.count - top);
        const RowBlock part = left.part(top, rows);
        scattered.put(part);
        for (int i = 0; i < rows; ++i)
            norms[i] = static_cast<float>(squared_norm(*left.matrix, part[i], {}));
        for (int from = range.from; from < range.to; from += kTileColumns) {
            const int columns = std::min(kTileColumns, range.to - from);
            for (int j = 0; j < columns; ++j) {
                const SparseRow<float>& row = right.entries32(from + j);
                loops.sparse_dot32(row.columns.data(), row.values.data(), row.size(),
                                   scattered.data(), lines.data() + j * kSparseLanes);
            }
            loops.transform32(spec, lines.data(), columns, kSparseLanes, kSparseLanes,
                              right.norms32() + from, norms.data());
            for (int j = 0; j < columns; ++j)
                for (int i = 0; i < kSparseLanes; ++i)
                    tile[i * kTileStride + j] = lines[j * kSparseLanes + i];
            sink(top, rows, from, columns, tile.data(), kTileStride);
        }
        scattered.clear(part);
    }
}

void sparse64_tiles(const Kernel& kernel, const RowBlock& left, const PackedRows& right,
                    const ColumnRange& range, const TileSink& sink) {
    const KernelSpec& spec = kernel.spec();
    const HotLoops& loops = kernel.loops();
    Scattered<double> scattered(right.column_numbers(), right.columns_used());
    double lanes[kSparseLanes];
    AlignedVector<double> dots(static_cast<std::size_t>(kSparseLanes) * kTileStride);
    AlignedVector<float> tile(static_cast<std::size_t>(kSparseLanes) * kTileStride);
    const AlignedVector<float> zeros(kTileColumns, 0.0f);
    const KernelSpec plain = plain_spec(spec);
    for (int top = 0; top < left.count; top += kSparseLanes) {
        const int rows = std::min(kSparseLanes, left.count - top);
        const RowBlock part = left.part(top, rows);
        scattered.put(part);
        for (int from = range.from; from < range.to; from += kTileColumns) {
            const int columns = std::min(kTileColumns, range.to - from);
            for (int j = 0; j < columns; ++j) {
                const SparseRow<double>& row = right.entries64(from + j);
                loops.sparse_dot64(row.columns.data(), row.values.data(), row.size(),
                                   scattered.data(), lanes);
                for (int i = 0; i < rows; ++i) dots[i * kTileStride + j] = lanes[i];
            }
            for (int i = 0; i < rows; ++i)
                form_arguments(spec, dots.data() + i * kTileStride, columns,
                               squared_norm(*left.matrix, part[i], {}), right.norms64() + from,
                               tile.data() + i * kTileStride);
            loops.transform32(plain, tile.data(), rows, columns, kTileStride, zeros.data(),
                              zeros.data());
            sink(top, rows, from, columns, tile.data(), kTileStride);
        }
        scattered.clear(part);
    }
}

}  // namespace rarebit
