-- The roles stay: they belong to the cluster, and another database may use them.
DROP TABLE IF EXISTS document.documents;
