import Effects

extension DatabaseSchema {
  /// Carries the content of a database that failed to sync into a new file, which is synced from its first byte, and
  /// puts that in its place.
  ///
  /// After a failed sync the system may show data as written that never reached the disk, and a second sync would
  /// succeed without writing it. What the check at the open finds sound is still in memory, and is written afresh.
  func rebuild(_ files: DatabaseFiles, fileSystem: String?) throws(OpenFailure) {
    let copy = DatabaseFiles(directory: files.directory, name: files.name + ".rebuilt")
    do throws(StoreError) {
      try copy.remove()
      try createPrivateFile(copy.path)
    } catch {
      throw .store(error)
    }
    try copySuspect(files, to: copy, fileSystem: fileSystem)
    do throws(StoreError) {
      try syncFile(copy.path)
      try files.replace(by: copy)
    } catch {
      throw .store(error)
    }
  }

  /// The suspect file is closed again when this returns, as the replacement demands.
  private func copySuspect(
    _ files: DatabaseFiles, to copy: DatabaseFiles, fileSystem: String?
  ) throws(OpenFailure) {
    let suspect = try open(files, fileSystem: fileSystem)
    do throws(SQLiteFailure) {
      try suspect.prepare("VACUUM INTO ?1").run(binding: .text(copy.path), at: 1)
    } catch {
      throw error.isCorruption ? .damaged(error) : .store(error.storeError)
    }
  }
}
