/** A test or a group of tests: its file, and the names of the groups around it before its own. */
interface Placed {
  readonly file: string;
  readonly names: readonly string[];
}

interface Place<T> {
  readonly notes: T;
  readonly inner: Map<string, Place<T>>;
}

/**
 * Notes on every place in a report, one for all that share file and names. What stands around a test is found by walking
 * its names; to compare each test with each takes minutes when there are ten thousand.
 */
export function createPlaces<T>(newNotes: () => T) {
  const newPlace = (): Place<T> => ({ notes: newNotes(), inner: new Map() });
  const files = newPlace();

  const walk = ({ file, names }: Placed): T[] => {
    let place = files;
    const [, ...notes] = [file, ...names].map(name => {
      const next = place.inner.get(name) ?? newPlace();
      place.inner.set(name, next);
      place = next;
      return next.notes;
    });
    return notes;
  };

  return {
    at: (placed: Placed): T => walk(placed).at(-1) ?? files.notes,
    /** Of the groups around it, outermost first. */
    around: (placed: Placed): T[] => walk(placed).slice(0, -1),
  };
}
