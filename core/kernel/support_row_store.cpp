#include "kernel/support_row_store.hpp"

namespace rarebit {

SupportRowStore::SupportRowStore(const Matrix& like) : starts_(1, 0) {
    view_.storage = like.storage;
    view_.columns = like.columns;
    view_.wide_indices = true;
    refresh_view();
}

void SupportRowStore::refresh_view() {
    switch (view_.storage) {
        case Storage::dense32:
            view_.values = dense32_.data();
            break;
        case Storage::dense64:
            view_.values = dense64_.data();
            break;
        case Storage::csr32:
            view_.values = sparse32_.data();
            break;
        case Storage::csr64:
            view_.values = sparse64_.data();
            break;
    }
    view_.indices = columns_.data();
    view_.offsets = starts_.data();
}

std::int32_t SupportRowStore::add(const Matrix& from, std::int64_t row) {
    std::int32_t number = static_cast<std::int32_t>(view_.rows);
    if (view_.sparse()) {
        SparseRow<double> entries;
        entries.read(from, row);
        columns_.insert(columns_.end(), entries.columns.begin(), entries.columns.end());
        if (view_.storage == Storage::csr32)
            for (double v : entries.values) sparse32_.push_back(static_cast<float>(v));
        else
            sparse64_.insert(sparse64_.end(), entries.values.begin(), entries.values.end());
        starts_.push_back(static_cast<std::int64_t>(columns_.size()));
        ++view_.rows;
    } else {
        if (free_.empty()) {
            ++view_.rows;
            const std::size_t entries = static_cast<std::size_t>(view_.rows) * view_.columns;
            if (view_.storage == Storage::dense32)
                dense32_.resize(entries);
            else
                dense64_.resize(entries);
        } else {
            number = free_.back();
            free_.pop_back();
            --garbage_;
        }
        const std::size_t at = static_cast<std::size_t>(number) * view_.columns;
        for (std::int64_t k = 0; k < view_.columns; ++k) {
            const double value = from.dense_value(row, k);
            if (view_.storage == Storage::dense32)
                dense32_[at + k] = static_cast<float>(value);
            else
                dense64_[at + k] = value;
        }
    }
    refresh_view();
    return number;
}

void SupportRowStore::remove(std::int32_t row) {
    ++garbage_;
    if (!view_.sparse()) free_.push_back(row);
}

}  // namespace rarebit
