// Rows kept by a machine for itself.
#include <memory>
#include <vector>

#include "fixtures.hpp"
#include "kernel/support_row_store.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

// Entry by entry, whatever the storage.
std::vector<double> row_of(const Matrix& matrix, std::int64_t row) {
    std::vector<double> values(matrix.columns, 0.0);
    if (matrix.sparse()) {
        SparseRow<double> entries;
        entries.read(matrix, row);
        for (int k = 0; k < entries.size(); ++k) values[entries.columns[k]] = entries.values[k];
    } else {
        for (std::int64_t k = 0; k < matrix.columns; ++k) values[k] = matrix.dense_value(row, k);
    }
    return values;
}

}  // namespace

TEST_CASE("expansion store copies rows of every storage") {
    for (Storage storage : kStorages)
        for (bool wide_indices : {false, true}) {
            std::unique_ptr<SupportRowStore> store;
            std::vector<std::vector<double>> want;
            {
                Table table(storage, 40, 6, normal_values(40, 6, 1, 0.5), wide_indices);
                store = std::make_unique<SupportRowStore>(table.matrix);
                CHECK(store->matrix().rows == 0);
                CHECK(store->matrix().columns == 6);
                CHECK(store->matrix().storage == storage);
                for (int i = 39; i >= 0; i -= 3) {
                    CHECK(store->add(table.matrix, i) == static_cast<std::int32_t>(want.size()));
                    want.push_back(row_of(table.matrix, i));
                }
            }  // the rows it copied from are gone
            CHECK(store->matrix().rows == static_cast<std::int64_t>(want.size()));
            for (std::size_t i = 0; i < want.size(); ++i)
                CHECK(row_of(store->matrix(), static_cast<std::int64_t>(i)) == want[i]);
            CHECK(store->garbage() == 0);
        }
}

TEST_CASE("expansion store reuses dense rows") {
    for (Storage storage : {Storage::dense32, Storage::dense64}) {
        Table table(storage, 10, 4, normal_values(10, 4, 2));
        SupportRowStore store(table.matrix);
        for (int i = 0; i < 5; ++i) store.add(table.matrix, i);
        store.remove(1);
        store.remove(3);
        CHECK(store.garbage() == 2);
        const std::int32_t first = store.add(table.matrix, 8), second = store.add(table.matrix, 9);
        CHECK(((first == 1 && second == 3) || (first == 3 && second == 1)));
        CHECK(store.garbage() == 0);
        CHECK(store.matrix().rows == 5);
        CHECK(row_of(store.matrix(), first) == row_of(table.matrix, 8));
        CHECK(row_of(store.matrix(), second) == row_of(table.matrix, 9));
        for (int i : {0, 2, 4}) CHECK(row_of(store.matrix(), i) == row_of(table.matrix, i));
        CHECK(store.add(table.matrix, 7) == 5);
    }
}

TEST_CASE("expansion store counts sparse garbage") {
    for (Storage storage : {Storage::csr32, Storage::csr64}) {
        Table table(storage, 10, 4, normal_values(10, 4, 3, 0.5));
        SupportRowStore store(table.matrix);
        for (int i = 0; i < 5; ++i) store.add(table.matrix, i);
        store.remove(1);
        store.remove(3);
        CHECK(store.garbage() == 2);
        const std::int32_t added = store.add(table.matrix, 8);
        CHECK(row_of(store.matrix(), added) == row_of(table.matrix, 8));
        for (int i : {0, 2, 4}) CHECK(row_of(store.matrix(), i) == row_of(table.matrix, i));
    }
}

TEST_CASE("expansion store takes rows of another width") {
    // Values and column numbers become those of the store.
    Table like(Storage::csr32, 1, 5, normal_values(1, 5, 4));
    Table other(Storage::csr64, 6, 5, normal_values(6, 5, 5, 0.4), true);
    SupportRowStore sparse(like.matrix);
    Table dense_like(Storage::dense32, 1, 5, normal_values(1, 5, 6));
    Table dense_other(Storage::dense64, 6, 5, normal_values(6, 5, 7));
    SupportRowStore dense(dense_like.matrix);
    for (int i = 0; i < 6; ++i) {
        std::vector<double> want = row_of(other.matrix, i);
        for (double& v : want) v = static_cast<float>(v);
        CHECK(row_of(sparse.matrix(), sparse.add(other.matrix, i)) == want);
        want = row_of(dense_other.matrix, i);
        for (double& v : want) v = static_cast<float>(v);
        CHECK(row_of(dense.matrix(), dense.add(dense_other.matrix, i)) == want);
    }
}

TEST_CASE("expansion store keeps empty sparse rows") {
    Table table(Storage::csr64, 3, 4, {0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0});
    SupportRowStore store(table.matrix);
    for (int i = 0; i < 3; ++i) store.add(table.matrix, i);
    for (int i = 0; i < 3; ++i) CHECK(row_of(store.matrix(), i) == row_of(table.matrix, i));
}
