\echo '6.  Arguments are checked before data are read: this query selects no row, and is refused.'
\set ON_ERROR_STOP off
SELECT idp_median(visits, -1) FROM person_year WHERE false;
\set ON_ERROR_STOP on
