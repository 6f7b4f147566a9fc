/** Returns the dark modules of a QR code as one SVG path, a rectangle for each run in a row. */
export function pathOf(rows: readonly (readonly boolean[])[]): string {
    let path = '';
    for (const [y, row] of rows.entries())
        for (let x = 0; x < row.length; x++) {
            if (!row[x]) continue;
            const start = x;
            while (row[x + 1]) x++;
            const width = x - start + 1;
            path += `M${start} ${y}h${width}v1h-${width}z`;
        }
    return path;
}
